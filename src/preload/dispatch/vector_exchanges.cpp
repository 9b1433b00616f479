// SPDX-License-Identifier: BSD-3-Clause
// The v-collectives that move blocks. All ranks must agree on the number of strips, but only
// allgatherv gives every rank all counts; the others first exchange the length of the longest
// block, which also carries "out of memory".
#include "preload/dispatch/compare_with_mpi.hpp"
#include "preload/dispatch/vector_moving.hpp"

namespace terrace::preload {

namespace {

bool move_checked(Dispatch& dispatch, Team& team, VectorMoving& moving, std::size_t most_bytes) {
  ExchangeCheck check(dispatch.underlying(), dispatch.comm_state(), dispatch.collective(),
                      static_cast<int>(dispatch.root()), moving.given());
  const bool is_done = moving.run(*team.endpoint, most_bytes);
  if (is_done) check.compare(moving.wanted());
  return is_done;
}

/// The MPI counts the checked bytes in ints.
bool can_check(Dispatch& dispatch, std::size_t most_bytes) {
  return most_bytes <= static_cast<std::size_t>(INT_MAX / dispatch.comm_state().size);
}

}  // namespace

std::optional<int> run_vector_exchange(Collective collective, const VectorExchange& call) {
  Dispatch dispatch(collective, call.communicator, call.root);
  if (!dispatch.is_sound()) return std::nullopt;
  const auto fall_back = [&](const char* why) {
    dispatch.fall_back(why);
    return std::nullopt;
  };
  // Not read: an intercommunicator's arrays have the length of the other group.
  if (dispatch.comm_state().stage == TeamStage::fallen_back) {
    dispatch.any_team();
    return std::nullopt;
  }
  VectorMoving moving(dispatch, call);
  if (!moving.is_sound()) return fall_back(kWrongArguments);
  Team* team = dispatch.any_team();
  if (team == nullptr) return std::nullopt;
  const bool has_room = moving.make_room();
  if (!has_room && !moving.is_heard()) moving.end_for_lack_of_memory();
  std::uint64_t most_bytes = moving.most_bytes();
  std::string truncation;
  if (collective != Collective::allgatherv) {
    Lengths lengths;
    team->wait_environment.begin();
    if (!team->endpoint->tell_lengths(collective, moving.tables(), has_room, dispatch.root(),
                                      lengths)) {
      end_of(false, dispatch, *team);
      return 0;
    }
    const std::optional<std::uint64_t> most = lengths.most();
    if (!most) return fall_back(kNoMemory);
    most_bytes = *most;
    truncation = moving.heed(lengths);
  }
  if (!dispatch.allows(most_bytes)) return std::nullopt;
  if (most_bytes == 0) {
    dispatch.count_run(nullptr);
    return 0;
  }
  team->wait_environment.begin();
  moving.begin();
  const bool is_done = team->settings.checks && can_check(dispatch, most_bytes)
                           ? move_checked(dispatch, *team, moving, most_bytes)
                           : moving.run(*team->endpoint, most_bytes);
  moving.end();
  end_of(is_done, dispatch, *team);
  if (truncation.empty()) return 0;
  say_once(truncation);
  const int error = dispatch.underlying().requests.truncated;
  dispatch.underlying().raise(call.communicator, error);
  return error;
}

}  // namespace terrace::preload
