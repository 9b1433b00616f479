// SPDX-License-Identifier: BSD-3-Clause
// Steps that starts of all nonblocking collectives share.
#pragma once

#include <memory>

#include "preload/dispatch/compare_with_mpi.hpp"
#include "preload/dispatch/run_or_fall_back.hpp"
#include "preload/requests/nonblocking_call.hpp"

namespace terrace::preload {

inline constexpr const char* kOwnOperator = "a type or operator that the MPI alone combines";
inline constexpr const char* kNoPlan = "no plan in which ranks leave all that others need";
inline constexpr const char* kHasGaps = "a type with gaps, combined";

/// Blocks of nonblocking calls, which stay with their communicator for later ones with the same
/// arguments.
class KeptBuffers : public CallBuffers, public KeptCall {};

/// Calls that a communicator keeps of each collective.
inline constexpr std::size_t kMostKept = 16;

/// The blocks of a call: those of an earlier one with the same arguments, which is over, or what
/// `make` makes, which is kept if the same arguments will always mean the same. One thread at a
/// time starts calls of a communicator. `Blocks` are KeptBuffers that have
/// `is_again(call)` and `is_lasting()`.
template <class Blocks, class Call, class Make>
std::shared_ptr<Blocks> kept_blocks(Dispatch& dispatch, const Call& call, const Make& make) {
  const LanesLock lock;
  auto& kept = dispatch.comm_state().kept_starts[static_cast<std::size_t>(dispatch.collective())];
  for (const auto& one : kept) {
    auto blocks = std::static_pointer_cast<Blocks>(one);
    if (!blocks->is_held && blocks->is_again(call)) return blocks;
  }
  std::shared_ptr<Blocks> made = make();
  if (!made->is_lasting()) return made;
  if (kept.size() == kMostKept) kept.erase(kept.begin());
  kept.push_back(made);
  return made;
}

/// Bytes that each rank leaves behind for its peers.
std::size_t left_bytes(Collective collective, std::size_t block_bytes, Rank ranks);

/// Whether each rank leaves more behind than lanes take, or would have to combine what others
/// divide among themselves.
bool is_too_long(Dispatch& dispatch, Team& team, std::size_t block_bytes);

/// A call that does nothing is over at once. It takes no lane's turn.
bool start_nothing(Dispatch& dispatch, Handle& request);
bool initialize_nothing(Dispatch& dispatch, Team& team, Handle& request);

/// Initializes a persistent call in a lane of its own. `buffers`: null where those of the program
/// are used. False: it falls back.
bool initialize_alone(Dispatch& dispatch, Team& team, const CallArguments& arguments,
                      std::shared_ptr<CallBuffers> buffers, Handle& request);

/// Starts a call by `start`, which holds the lock, and returns whether it has: otherwise the call
/// falls back. Beside it the MPI's begins, without the lock, if there is a check.
template <class Start>
bool start_checked(std::unique_ptr<MpiCheck> check, const Handle& request, const Start& start) {
  MpiCheck* const begun = check.get();
  if (begun != nullptr) begun->copy_input();
  {
    const LanesLock lock;
    if (!start()) return false;
    if (begun != nullptr) call_of(request)->check = std::move(check);
  }
  if (begun != nullptr) begun->begin();
  return true;
}

// The caller holds the lock.

/// The lane of the next nonblocking call, in which each rank leaves so many bytes behind.
NonblockingLane& next_lane(Team& team, std::size_t left);
/// The lane of the next persistent call; null: it falls back.
NonblockingLane* own_lane(Dispatch& dispatch, Team& team);
/// The lane of a persistent call that can be left there; null: it falls back.
NonblockingLane* own_lane(Dispatch& dispatch, Team& team, const CallArguments& arguments);
/// The lane that such a call is started in, in which each rank leaves so many bytes behind; null:
/// it falls back.
NonblockingLane* lane_for(Dispatch& dispatch, Team& team, const CallArguments& arguments,
                          std::size_t left);
NonblockingLane* lane_for(Dispatch& dispatch, Team& team, const CallArguments& arguments);
/// Starts or queues it. `buffers`: null where those of the program are used. Returns whether the
/// lane has now prepared it.
bool start_in(Dispatch& dispatch, Team& team, NonblockingLane& lane, const CallArguments& arguments,
              std::shared_ptr<CallBuffers> buffers, Handle& request);

}  // namespace terrace::preload
