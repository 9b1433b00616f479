// SPDX-License-Identifier: BSD-3-Clause
// Gives each of a communicator's first persistent calls a lane of its own.
#include "preload/requests/persistent.hpp"

#include <utility>

#include "preload/requests/startable.hpp"
#include "preload/requests/starting.hpp"

namespace terrace::preload {

namespace {

/// The lane of the next persistent call; null: it falls back. The caller holds the lock.
NonblockingLane* own_lane_for(StartableCall& one) {
  NonblockingLane* const lane = own_lane(one.dispatch, *one.team);
  const CallArguments& arguments = one.arguments;
  if (lane == nullptr ||
      lane->endpoint->can_be_left(arguments.collective, arguments.elements, arguments.root))
    return lane;
  one.dispatch.fall_back_and_warn(kNoPlan);
  return nullptr;
}

bool initialize(StartableCall one, Handle& request) {
  if (one.kind == StartableCall::Kind::falls_back) return false;
  UnderlyingMpi& underlying = one.dispatch.underlying();
  const LanesLock lock;
  if (!one.runs()) {
    request = new_persistent_call(underlying, *one.team, nullptr, one.arguments).carrier;
    one.dispatch.count_run_of(kNothing);
    return true;
  }
  NonblockingLane* const lane = own_lane_for(one);
  if (lane == nullptr) return false;
  const CallArguments& arguments = one.arguments;
  NonblockingCall& call = new_persistent_call(underlying, *one.team, lane, arguments);
  hold(call, std::move(one.buffers));
  call.decision = one.team->lanes->decision_for(
      *lane, lane->endpoint->question_of(arguments.collective, arguments.elements),
      *one.team->endpoint);
  one.dispatch.count_run_of(
      lane->endpoint->plan_of(arguments.collective, arguments.elements, arguments.root));
  request = call.carrier;
  return true;
}

}  // namespace

bool initialize_barrier(const MpiCall& call, Handle& request) {
  return initialize(startable_barrier(CallKind::persistent, call), request);
}

bool initialize_bcast(const MpiCall& call, Handle& request) {
  return initialize(startable_bcast(CallKind::persistent, call), request);
}

bool initialize_reduction(Collective collective, const MpiCall& call, Handle& request) {
  return initialize(startable_reduction(CallKind::persistent, collective, call), request);
}

bool initialize_exchange(Collective collective, const RegularExchange& call, Handle& request) {
  return initialize(startable_exchange(CallKind::persistent, collective, call), request);
}

}  // namespace terrace::preload
