// SPDX-License-Identifier: BSD-3-Clause
// Finds the lane of a call, and starts the call in it.
#include "preload/requests/starting.hpp"

namespace terrace::preload {

namespace {

constexpr const char* kNoLane = "more persistent calls of a communicator than have lanes";
constexpr const char* kTooLong = "longer than what ranks can leave behind for each other";

}  // namespace

std::size_t left_bytes(Collective collective, std::size_t block_bytes, Rank ranks) {
  return block_bytes * (has_block_per_rank(collective) ? ranks : 1);
}

bool is_too_long(Dispatch& dispatch, Team& team, std::size_t block_bytes) {
  const Collective collective = dispatch.collective();
  const Rank ranks = team.memory.rank_count();
  const bool is_long = left_bytes(collective, block_bytes, ranks) > kMostLeft ||
                       (combines(collective) && block_bytes * ranks > 2 * kMostLeft);
  if (is_long) dispatch.fall_back_and_warn(kTooLong);
  return is_long;
}

NonblockingLane* lane_for(Dispatch& dispatch, Team& team, const CallArguments& arguments) {
  return lane_for(
      dispatch, team, arguments,
      left_bytes(arguments.collective, bytes_of(arguments.elements), team.memory.rank_count()));
}

NonblockingLane& next_lane(Team& team, std::size_t left) {
  NonblockingLanes& lanes = *team.lanes;
  if (lanes.is_forgetting_due()) lanes.forget_decisions();
  NonblockingLane& lane = lanes.next(left);
  lanes.open(lane, team.plan_cache);
  return lane;
}

NonblockingLane* own_lane(Dispatch& dispatch, Team& team) {
  NonblockingLanes& lanes = *team.lanes;
  if (lanes.is_forgetting_due()) lanes.forget_decisions();
  NonblockingLane* const lane = lanes.next_persistent();
  if (lane != nullptr)
    lanes.open(*lane, team.plan_cache);
  else
    dispatch.fall_back_and_warn(kNoLane);
  return lane;
}

NonblockingLane* own_lane(Dispatch& dispatch, Team& team, const CallArguments& arguments) {
  NonblockingLane* const lane = own_lane(dispatch, team);
  if (lane == nullptr ||
      lane->endpoint->can_be_left(arguments.collective, arguments.elements, arguments.root))
    return lane;
  dispatch.fall_back_and_warn(kNoPlan);
  return nullptr;
}

NonblockingLane* lane_for(Dispatch& dispatch, Team& team, const CallArguments& arguments,
                          std::size_t left) {
  NonblockingLane& lane = next_lane(team, left);
  if (lane.endpoint->can_be_left(arguments.collective, arguments.elements, arguments.root))
    return &lane;
  dispatch.fall_back_and_warn(kNoPlan);
  return nullptr;
}

bool start_in(Dispatch& dispatch, Team& team, NonblockingLane& lane, const CallArguments& arguments,
              std::shared_ptr<CallBuffers> buffers, Handle& request) {
  const std::size_t left =
      left_bytes(arguments.collective, bytes_of(arguments.elements), team.memory.rank_count());
  auto decision = team.lanes->decision_for(
      lane, lane.endpoint->question_of(arguments.collective, arguments.elements), *team.endpoint);
  NonblockingCall& call = new_call(dispatch.underlying(), team, lane, left);
  call.decision = std::move(decision);
  hold(call, std::move(buffers));
  begin(call, arguments);
  dispatch.count_run_of(
      lane.endpoint->plan_of(arguments.collective, arguments.elements, arguments.root));
  request = call.carrier;
  return call.stage != NonblockingCall::Stage::queued;
}

bool start_nothing(Dispatch& dispatch, Handle& request) {
  const LanesLock lock;
  request = new_call_that_is_over(dispatch.underlying()).carrier;
  dispatch.count_run_of(kNothing);
  return true;
}

bool initialize_nothing(Dispatch& dispatch, Team& team, Handle& request) {
  const LanesLock lock;
  request = new_persistent_call(dispatch.underlying(), team, nullptr, {}).carrier;
  dispatch.count_run_of(kNothing);
  return true;
}

bool initialize_alone(Dispatch& dispatch, Team& team, const CallArguments& arguments,
                      std::shared_ptr<CallBuffers> buffers, Handle& request) {
  const LanesLock lock;
  NonblockingLane* const lane = own_lane(dispatch, team, arguments);
  if (lane == nullptr) return false;
  TeamEndpoint& endpoint = *lane->endpoint;
  NonblockingCall& call = new_persistent_call(dispatch.underlying(), team, lane, arguments);
  hold(call, std::move(buffers));
  call.decision = team.lanes->decision_for(
      *lane, endpoint.question_of(arguments.collective, arguments.elements), *team.endpoint);
  dispatch.count_run_of(endpoint.plan_of(arguments.collective, arguments.elements, arguments.root));
  request = call.carrier;
  return true;
}

}  // namespace terrace::preload
