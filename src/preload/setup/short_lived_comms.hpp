// SPDX-License-Identifier: BSD-3-Clause
// Tracks how long this process's communicators live: setting up a team takes as long as some
// hundred calls, and planners (FFTW's) make hundreds of communicators for a few calls each.
#pragma once

#include <atomic>
#include <cstdint>

namespace terrace::preload {

/// Communicators with fewer calls are faster without a team.
inline constexpr std::uint64_t kCallsOfShortLife = 1024;
/// After this many short lives in a row, the next one is expected to be short.
inline constexpr std::uint32_t kShortLives = 3;

inline std::atomic<std::uint32_t> short_lives_in_a_row{0};

/// Records that a communicator was freed after `calls` collectives.
inline void note_lifetime(std::uint64_t calls) {
  // relaxed, all three: counts that order nothing. No partner.
  if (calls >= kCallsOfShortLife)
    short_lives_in_a_row.store(0, std::memory_order_relaxed);
  else if (calls > 0)
    short_lives_in_a_row.fetch_add(1, std::memory_order_relaxed);
}

inline bool are_lives_short() {
  // relaxed: as above.
  return short_lives_in_a_row.load(std::memory_order_relaxed) >= kShortLives;
}

}  // namespace terrace::preload
