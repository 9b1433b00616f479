// SPDX-License-Identifier: BSD-3-Clause
// Decides as for blocking calls, but by what all ranks know without waiting: the team is there or
// not, and the lane has room for the whole vector or not.
#include "preload/requests/start.hpp"

#include "base/say.hpp"
#include "preload/dispatch/hot_path.hpp"
#include "preload/dispatch/moving.hpp"
#include "preload/dispatch/reductions.hpp"
#include "preload/requests/starting.hpp"

namespace terrace::preload {

namespace {

/// The buffer of a bcast that is not used where it lies.
class BcastBuffer final : public CallBuffers {
 public:
  BcastBuffer(Dispatch& dispatch, const MpiCall& call)
      : is_root_(dispatch.rank_in_call().is_root()),
        side_(dispatch, {call.output, call.count, call.type}, 1) {
    side_.begin({0, is_root_ ? std::size_t{1} : 0});
    side_.keep();
  }
  std::byte* at() const { return side_.at(); }
  Truncated deliver() override {
    if (!is_root_) side_.end();
    return {};
  }

 private:
  bool is_root_;
  MovedSide side_;
};

/// The buffers of an exchange that are not used where they lie.
class ExchangeBuffers final : public CallBuffers {
 public:
  ExchangeBuffers(Dispatch& dispatch, const RegularExchange& call) : moving_(dispatch, call) {
    moving_.begin();
    moving_.keep();
  }
  const Moving& moving() const { return moving_; }
  Truncated deliver() override {
    moving_.end();
    return {};
  }

 private:
  Moving moving_;
};

/// Vectors of a reduction that lie on a device.
class ReductionBuffers final : public CallBuffers {
 public:
  ReductionBuffers(Dispatch& dispatch, const MpiCall& call, const void* input,
                   const Elements& elements)
      : underlying_(dispatch.underlying()),
        call_(call),
        bytes_(bytes_of(elements)),
        has_result_(gets_result(dispatch.rank_in_call())) {
    const std::size_t blocks = operand_blocks(dispatch.rank_in_call());
    packed_ = packed_buffer(bytes_ * blocks);
    bool is_done = true;
    for (std::size_t i = 0; i < blocks; ++i)
      is_done &= pack_elements(underlying_, call.communicator,
                               static_cast<const std::byte*>(input) + i * bytes_, call.count,
                               call.type, packed_.get() + i * bytes_, bytes_);
    if (!is_done)
      say_once("the MPI could not pack the input of a reduction: its result is undefined");
  }
  std::byte* at() const { return packed_.get(); }

  Truncated deliver() override {
    if (has_result_ && !unpack_elements(underlying_, underlying_.world(), packed_.get(), bytes_,
                                        call_.output, call_.count, call_.type))
      say_once("the MPI could not unpack the result of a reduction");
    return {};
  }

 private:
  UnderlyingMpi& underlying_;
  MpiCall call_;
  std::size_t bytes_;
  bool has_result_;
  Packed packed_{nullptr, &std::free};
};

/// The cache in front of a lane, for the next call like this one.
LastCall* last_call_in(Dispatch& dispatch, NonblockingLane& lane) {
  if (dispatch.comm_state().is_reported || lane.endpoint->last_prepared() == nullptr)
    return nullptr;
  return &lane.last_calls[static_cast<std::size_t>(dispatch.collective())];
}

void remember_start(Dispatch& dispatch, NonblockingLane& lane, const MpiCall& call,
                    bool is_in_place, bool has_output) {
  LastCall* const last = last_call_in(dispatch, lane);
  if (last == nullptr) return;
  *last = {call.type, call.op, call.count, call.root, is_in_place, has_output, dispatch.bytes()};
  last->note(*lane.endpoint);
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
  Dispatch dispatch(Collective::barrier, call.communicator);
  Team* const team = dispatch.team_to_start(0);
  if (team == nullptr) return false;
  const CallArguments arguments{Collective::barrier, nullptr, nullptr, {}, 0};
  const LanesLock lock;
  NonblockingLane* const lane = lane_for(dispatch, *team, arguments);
  if (lane == nullptr) return false;
  if (start_in(dispatch, *team, *lane, arguments, nullptr, request))
    remember_start(dispatch, *lane, call, true, false);
  return true;
}

bool start_bcast(const MpiCall& call, Handle& request) {
  Dispatch dispatch(Collective::bcast, call.communicator, call.root);
  if (!dispatch.is_sound() || call.count < 0) return false;
  UnderlyingMpi& underlying = dispatch.underlying();
  const PredefinedType* const known = underlying.find_type(call.type);
  const std::optional<std::size_t> element =
      known ? std::optional(known->bytes) : underlying.bytes_of_type(call.type);
  if (!element) return false;
  const std::size_t bytes = *element * static_cast<std::size_t>(call.count);
  Team* const team = dispatch.team_to_start(bytes);
  if (team == nullptr) return false;
  if (bytes == 0) return start_nothing(dispatch, request);
  if (!holds_data(underlying, call.output, known != nullptr))
    return dispatch.fall_back(kWrongBuffer) != nullptr;
  if (is_too_long(dispatch, *team, bytes)) return false;
  CallArguments arguments{Collective::bcast, call.output, call.output, {bytes}, dispatch.root()};
  const bool is_dense = known && !known->has_gaps() && !is_on_device(call.output);
  std::unique_ptr<BcastBuffer> buffer;
  if (!is_dense) {
    buffer = std::make_unique<BcastBuffer>(dispatch, call);
    arguments.input = arguments.output = buffer->at();
  }
  const LanesLock lock;
  NonblockingLane* const lane = lane_for(dispatch, *team, arguments);
  if (lane == nullptr) return false;
  if (start_in(dispatch, *team, *lane, arguments, std::move(buffer), request) && is_dense)
    remember_start(dispatch, *lane, call, true, true);
  return true;
}

bool start_reduction(Collective collective, const MpiCall& call, Handle& request) {
  Dispatch dispatch(collective, call.communicator, call.root);
  if (!dispatch.is_sound() || call.count < 0) return false;
  const PredefinedReduction* const by = find_kernel(dispatch, call.type, call.op);
  const std::size_t bytes =
      by == nullptr ? 0 : by->known->bytes * static_cast<std::size_t>(call.count);
  Team* const team = dispatch.team_to_start(bytes);
  if (team == nullptr) return false;
  if (by == nullptr) return dispatch.fall_back_and_warn(kOwnOperator) != nullptr;
  if (by->known->has_gaps()) return dispatch.fall_back_and_warn(kHasGaps) != nullptr;
  if (bytes == 0) return start_nothing(dispatch, request);
  if (!takes_buffers(dispatch, call)) return dispatch.fall_back(kWrongBuffer) != nullptr;
  const bool is_in_place = dispatch.underlying().is_in_place(call.input);
  const void* const input = is_in_place ? call.output : call.input;
  CallArguments arguments{collective, input, call.output, {}, dispatch.root()};
  arguments.elements = {static_cast<std::size_t>(call.count), by->known->bytes, by->kernel};
  arguments.elements.is_exact =
      dispatch.comm_state().size == 2 ? by->is_exact_for_two : by->is_exact;
  arguments.elements.combination = by->combination;
  if (is_too_long(dispatch, *team, bytes)) return false;
  std::unique_ptr<ReductionBuffers> buffers;
  if (has_devices() && (owner_of(input) || owner_of(call.output))) {
    buffers = std::make_unique<ReductionBuffers>(dispatch, call, input, arguments.elements);
    arguments.input = arguments.output = buffers->at();
  }
  const bool is_dense = buffers == nullptr;
  const LanesLock lock;
  NonblockingLane* const lane = lane_for(dispatch, *team, arguments);
  if (lane == nullptr) return false;
  if (start_in(dispatch, *team, *lane, arguments, std::move(buffers), request) && is_dense)
    remember_start(dispatch, *lane, call, arguments.input == arguments.output,
                   gets_result(dispatch.rank_in_call()));
  return true;
}

bool start_exchange(Collective collective, const RegularExchange& call, Handle& request) {
  Dispatch dispatch(collective, call.communicator, call.root);
  if (!dispatch.is_sound()) return false;
  const Moving sides(dispatch, call);
  Team* const team = dispatch.team_to_start(sides.is_sound() ? sides.block_bytes() : 0);
  if (team == nullptr) return false;
  if (!sides.is_sound()) return dispatch.fall_back(kWrongArguments) != nullptr;
  const std::size_t bytes = sides.block_bytes();
  if (bytes == 0) return start_nothing(dispatch, request);
  if (!sides.takes_buffers()) return dispatch.fall_back(kWrongBuffer) != nullptr;
  if (is_too_long(dispatch, *team, bytes)) return false;
  CallArguments arguments{collective, nullptr, nullptr, {bytes}, dispatch.root()};
  auto buffers = std::make_unique<ExchangeBuffers>(dispatch, call);
  const Moving& moving = buffers->moving();
  arguments.input = moving.input();
  arguments.output = moving.output();
  const bool is_used_as_it_lies = moving.is_used_as_it_lies();
  const bool has_input = moving.has_input(), has_output = moving.has_output();
  if (moving.is_dense()) buffers.reset();
  const LanesLock lock;
  NonblockingLane* const lane = lane_for(dispatch, *team, arguments);
  if (lane == nullptr) return false;
  const bool is_prepared = start_in(dispatch, *team, *lane, arguments, std::move(buffers), request);
  LastCall* const last =
      is_prepared && is_used_as_it_lies ? last_call_in(dispatch, *lane) : nullptr;
  if (last == nullptr) return true;
  *last = LastCall::exchange(call.input.type, call.input.count, call.output.type, call.output.count,
                             call.root, has_input, has_output);
  last->bytes = dispatch.bytes();
  last->note(*lane->endpoint);
  return true;
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
