// SPDX-License-Identifier: BSD-3-Clause
// The v-collectives that move blocks. All ranks must agree on the number of strips, but only
// allgatherv gives every rank all counts; the others first exchange lengths, which also tell "out
// of memory", and with which short blocks travel.
#include "preload/dispatch/compare_with_mpi.hpp"
#include "preload/dispatch/vector_moving.hpp"

namespace terrace::preload {

namespace {

/// The MPI counts the checked bytes in ints.
bool can_check(Dispatch& dispatch, std::size_t most_bytes) {
  return most_bytes <= static_cast<std::size_t>(INT_MAX / dispatch.comm_state().size);
}

bool move(Dispatch& dispatch, Team& team, VectorMoving& moving, std::size_t most_bytes) {
  team.wait_environment.begin();
  if (!team.settings.checks || !can_check(dispatch, most_bytes))
    return moving.run(*team.endpoint, most_bytes);
  ExchangeCheck check(dispatch.underlying(), dispatch.comm_state(), dispatch.collective(),
                      static_cast<int>(dispatch.root()), moving.given(), moving.wanted());
  return check.around([&] { return moving.run(*team.endpoint, most_bytes); });
}

/// The blocks of a call, which stay with its communicator for the next one: most calls come again
/// with the same arguments. Where there is no team, they are not kept.
class BlocksOfCall {
 public:
  BlocksOfCall(Dispatch& dispatch, const VectorExchange& call)
      : kept_(
            dispatch.comm_state().stage == TeamStage::joined
                ? dispatch.comm_state().kept_calls[static_cast<std::size_t>(dispatch.collective())]
                : own_) {
    auto* const last = static_cast<VectorMoving*>(kept_.get());
    if (last == nullptr || !last->is_again(call))
      kept_ = std::make_unique<VectorMoving>(dispatch, call);
  }
  ~BlocksOfCall() {
    if (!moving().is_lasting()) kept_.reset();
  }
  BlocksOfCall(const BlocksOfCall&) = delete;
  BlocksOfCall& operator=(const BlocksOfCall&) = delete;

  VectorMoving& moving() { return static_cast<VectorMoving&>(*kept_); }

 private:
  std::unique_ptr<KeptCall> own_;
  std::unique_ptr<KeptCall>& kept_;
};

/// Lets ranks tell each other lengths, and gives received blocks theirs. Returns the longest block;
/// nothing: the call is over, or falls back, as `is_made` says.
std::optional<std::uint64_t> tell_lengths(Dispatch& dispatch, Team& team, VectorMoving& moving,
                                          bool has_room, std::string& truncation, bool& is_made) {
  if (!team.endpoint->tell_lengths(dispatch.collective(), moving.tables(), has_room,
                                   dispatch.root(), team.lengths)) {
    is_made = end_of(false, dispatch, team);
    return std::nullopt;
  }
  const std::optional<std::uint64_t> most = team.lengths.most();
  if (!most) {
    is_made = dispatch.fall_back(kNoMemory) != nullptr;
    return std::nullopt;
  }
  if (team.uneven_trials) team.uneven_trials->told(dispatch.collective()) = *most;
  truncation = moving.heed(team.lengths);
  return most;
}

/// Whether Terrace has made the call. Leaves a sentence if a block was truncated.
bool make_call(Dispatch& dispatch, VectorMoving& moving, std::string& truncation) {
  Team* const team = dispatch.any_team();
  if (team == nullptr || dispatch.falls_back_by_trial(*team, moving.most_bytes())) return false;
  const TriedCall tried(team->trials_of_uneven_calls());
  const bool has_room = moving.make_room();
  if (!has_room && !moving.is_heard()) moving.end_for_lack_of_memory();
  if (has_room) moving.begin();
  team->wait_environment.begin();
  std::uint64_t most_bytes = moving.most_bytes();
  const bool are_told = tells_lengths(dispatch.collective());
  if (are_told) {
    bool is_made = false;
    const auto most = tell_lengths(dispatch, *team, moving, has_room, truncation, is_made);
    if (!most) return is_made;
    most_bytes = *most;
  }
  if (!dispatch.allows(most_bytes)) return false;
  if (most_bytes == 0) {
    dispatch.count_run(nullptr);
    return true;
  }
  bool is_done = true;
  if (are_told && team->lengths.have_brought_blocks())
    team->lengths.deliver(moving.tables());
  else
    is_done = move(dispatch, *team, moving, most_bytes);
  moving.end();
  return end_of(is_done, dispatch, *team);
}

}  // namespace

std::optional<int> run_vector_exchange(Collective collective, const VectorExchange& call) {
  Dispatch dispatch(collective, call.communicator, call.root);
  if (!dispatch.is_sound()) return std::nullopt;
  // Not read: an intercommunicator's arrays have the length of the other group.
  if (dispatch.comm_state().stage == TeamStage::fallen_back) {
    dispatch.any_team();
    return std::nullopt;
  }
  std::string truncation;
  {
    BlocksOfCall blocks(dispatch, call);
    if (!blocks.moving().is_sound()) {
      dispatch.fall_back(kWrongArguments);
      return std::nullopt;
    }
    if (!make_call(dispatch, blocks.moving(), truncation)) return std::nullopt;
  }
  if (truncation.empty()) return 0;
  say_once(truncation);
  const int error = dispatch.underlying().requests.truncated;
  dispatch.underlying().raise(call.communicator, error);
  return error;
}

}  // namespace terrace::preload
