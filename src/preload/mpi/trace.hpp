// SPDX-License-Identifier: BSD-3-Clause
// TERRACE_TRACE=FILE: a timeline of this process's calls. Every rank writes its own file when MPI
// ends, FILE.rank-N; the last one joins them to FILE, by rank 0's clock. So no rank waits for
// another, and a rank that dies loses only its own records.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/recorder.hpp"

namespace terrace::preload {

/// Set once, if at all, before this process's first call is recorded.
inline std::atomic<Recorder*> the_recorder{nullptr};

/// Null if nothing is recorded.
inline Recorder* recorder() {
  // acquire: pairs with the release in `begin_recording`.
  return the_recorder.load(std::memory_order_acquire);
}

/// Starts recording if the user wishes it and it is possible. If not possible, rank 0 says why, or
/// each rank whose file has a name of its own.
void begin_recording(int world_rank, int world_size, bool is_spawned);

/// The clock of that rank of MPI_COMM_WORLD, which is on another node, is so far ahead of this
/// one's.
void note_clock(Rank reference, std::int64_t ahead_ns);

/// Makes a recorder for a team of these ranks of MPI_COMM_WORLD; null if nothing is recorded.
std::unique_ptr<EndpointRecorder> endpoint_recorder(const std::vector<int>& world_ranks);

/// A call of this thread is about to fall back to the MPI.
void begin_fallback(Collective collective, std::size_t bytes, const char* why);
/// Whether the call that is forwarded now is that one. If so, the caller calls `end_fallback` when
/// it returns, whatever calls were made within it.
bool is_fallback_now();
void end_fallback();

/// Writes what was recorded, and stops recording.
void end_recording() noexcept;

/// The job is about to be ended because of another rank: writes, and gives other ranks that notice
/// it time to do the same.
void end_recording_early() noexcept;

}  // namespace terrace::preload
