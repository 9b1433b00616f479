// SPDX-License-Identifier: BSD-3-Clause
// Starts calls in lanes, and those like the last one in their lane as that was prepared.
#include "preload/requests/start.hpp"

#include "preload/dispatch/hot_path.hpp"
#include "preload/requests/startable.hpp"
#include "preload/requests/starting.hpp"

namespace terrace::preload {

namespace {

/// The cache in front of a lane, for the next call like this one.
LastCall* last_call_in(Dispatch& dispatch, NonblockingLane& lane) {
  if (dispatch.comm_state().is_reported || lane.endpoint->last_prepared() == nullptr)
    return nullptr;
  return &lane.last_calls[static_cast<std::size_t>(dispatch.collective())];
}

void remember(StartableCall& one, NonblockingLane& lane, const MpiCall& call) {
  LastCall* const last = last_call_in(one.dispatch, lane);
  if (last == nullptr) return;
  const bool is_in_place = one.arguments.input == one.arguments.output;
  *last = {call.type,   call.op,        call.count,          call.root,
           is_in_place, one.has_output, one.dispatch.bytes()};
  last->note(*lane.endpoint);
}
void remember(StartableCall& one, NonblockingLane& lane, const RegularExchange& call) {
  LastCall* const last = last_call_in(one.dispatch, lane);
  if (last == nullptr) return;
  *last = LastCall::exchange(call.input.type, call.input.count, call.output.type, call.output.count,
                             call.root, one.has_input, one.has_output);
  last->bytes = one.dispatch.bytes();
  last->note(*lane.endpoint);
}

/// Starts a call, and remembers it if the next one like it may be started as it was prepared.
template <class Call>
bool start_new(StartableCall one, const Call& call, Handle& request) {
  if (one.kind == StartableCall::Kind::does_nothing) return start_nothing(one.dispatch, request);
  if (!one.runs()) return false;
  const bool may_be_remembered = one.is_used_as_it_lies && !one.is_checked();
  return start_checked(std::move(one.check), request, [&] {
    NonblockingLane* const lane = lane_for(one.dispatch, *one.team, one.arguments);
    if (lane == nullptr) return false;
    const bool is_prepared =
        start_in(one.dispatch, *one.team, *lane, one.arguments, std::move(one.buffers), request);
    if (is_prepared && may_be_remembered) remember(one, *lane, call);
    return true;
  });
}

/// The lane of the communicator's next call, if that is like the last one in it, and may be started
/// as it was prepared.
template <class IsAlike>
NonblockingLane* ready_lane(CommState* comm_state, Collective collective, const IsAlike& is_alike) {
  if (comm_state == nullptr || comm_state->team == nullptr) return nullptr;
  Team& team = *comm_state->team;
  if (team.lanes == nullptr || has_devices() || team.lanes->is_forgetting_due()) return nullptr;
  for (const std::size_t bytes : {kMostShort, kMostShort + 1}) {
    NonblockingLane& lane = team.lanes->next(bytes);
    const LastCall& last = lane.last_calls[static_cast<std::size_t>(collective)];
    if (lane.first_call == nullptr && is_alike(last)) return &lane;
  }
  return nullptr;
}

void start_prepared(CommState& comm_state, Collective collective, NonblockingLane& lane,
                    const LastCall& last, const void* input, void* output, Handle& request) {
  Team& team = *comm_state.team;
  const std::size_t left = left_bytes(collective, last.bytes, team.memory.rank_count());
  NonblockingCall& call = new_call(team.wait_environment.underlying(), team, lane, left);
  lane.wait_environment.begin();
  note_start(call, lane.endpoint->start(*last.prepared, input, output));
  comm_state.counts.ran(collective, last.bytes);
  request = call.carrier;
}

}  // namespace

bool start_barrier(const MpiCall& call, Handle& request) {
  return start_new(startable_barrier(CallKind::nonblocking, call), call, request);
}

bool start_bcast(const MpiCall& call, Handle& request) {
  return start_new(startable_bcast(CallKind::nonblocking, call), call, request);
}

bool start_reduction(Collective collective, const MpiCall& call, Handle& request) {
  return start_new(startable_reduction(CallKind::nonblocking, collective, call), call, request);
}

bool start_exchange(Collective collective, const RegularExchange& call, Handle& request) {
  return start_new(startable_exchange(CallKind::nonblocking, collective, call), call, request);
}

bool start_again(Collective collective, const MpiCall& call, Handle& request) {
  CommState* const comm_state = recent_comm_state(call.communicator);
  const LanesLock lock;
  NonblockingLane* const lane = ready_lane(comm_state, collective, [&](const LastCall& last) {
    return last.is(call.type, call.op, call.count, call.root);
  });
  if (lane == nullptr) return false;
  const LastCall& last = lane->last_calls[static_cast<std::size_t>(collective)];
  const UnderlyingMpi& underlying = lane->wait_environment.underlying();
  const void* input = call.output;
  if (collective == Collective::bcast && !holds_data(underlying, call.output)) return false;
  if (collective != Collective::bcast && collective != Collective::barrier) {
    input = usual_input(last, collective, call, underlying);
    if (input == nullptr) return false;
  }
  if (!last.may_be_repeated(*lane->endpoint)) return false;
  start_prepared(*comm_state, collective, *lane, last, input, call.output, request);
  return true;
}

bool start_again(Collective collective, const RegularExchange& call, Handle& request) {
  CommState* const comm_state = recent_comm_state(call.communicator);
  const LanesLock lock;
  NonblockingLane* const lane = ready_lane(comm_state, collective, [&](const LastCall& last) {
    return last.is_exchange(call.input.type, call.input.count, call.output.type, call.output.count,
                            call.root);
  });
  if (lane == nullptr) return false;
  const LastCall& last = lane->last_calls[static_cast<std::size_t>(collective)];
  const UnderlyingMpi& underlying = lane->wait_environment.underlying();
  const void* input = nullptr;
  void* output = nullptr;
  if (!usual_buffers(last, collective, call, underlying, *lane->endpoint, input, output))
    return false;
  if (!last.may_be_repeated(*lane->endpoint)) return false;
  start_prepared(*comm_state, collective, *lane, last, input, output, request);
  return true;
}

}  // namespace terrace::preload
