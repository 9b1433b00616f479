// SPDX-License-Identifier: BSD-3-Clause
// Steps that starts of all nonblocking collectives share.
#pragma once

#include <memory>

#include "preload/dispatch/run_or_fall_back.hpp"
#include "preload/requests/nonblocking_call.hpp"

namespace terrace::preload {

inline constexpr const char* kOwnOperator = "a type or operator that the MPI alone combines";
inline constexpr const char* kNoPlan = "no plan in which ranks leave all that others need";
inline constexpr const char* kHasGaps = "a type with gaps, combined";

/// Bytes that each rank leaves behind for its peers.
std::size_t left_bytes(Collective collective, std::size_t block_bytes, Rank ranks);

/// Whether each rank leaves more behind than lanes take, or would have to combine what others
/// divide among themselves.
bool is_too_long(Dispatch& dispatch, Team& team, std::size_t block_bytes);

/// A call that does nothing is over at once. It takes no lane's turn.
bool start_nothing(Dispatch& dispatch, Handle& request);

// The caller holds the lock.

/// The lane of the next nonblocking call, in which each rank leaves so many bytes behind.
NonblockingLane& next_lane(Team& team, std::size_t left);
/// The lane of the next persistent call; null: it falls back.
NonblockingLane* own_lane(Dispatch& dispatch, Team& team);
/// The lane that such a call is started in, in which each rank leaves so many bytes behind; null:
/// it falls back.
NonblockingLane* lane_for(Dispatch& dispatch, Team& team, const CallArguments& arguments,
                          std::size_t left);
NonblockingLane* lane_for(Dispatch& dispatch, Team& team, const CallArguments& arguments);
/// Starts or queues it. `buffers`: null where those of the program are used. Returns whether the
/// lane has now prepared it.
bool start_in(Dispatch& dispatch, Team& team, NonblockingLane& lane, const CallArguments& arguments,
              std::unique_ptr<CallBuffers> buffers, Handle& request);

}  // namespace terrace::preload
