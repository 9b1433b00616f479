// SPDX-License-Identifier: BSD-3-Clause
// Progress debt. An MPI's own collectives drive its progress engine, so that a program that probes
// once after a barrier finds a message sent before it. Terrace's collectives bypass that engine:
// driving it would cost as much as a small collective. After one of them, MPI_Iprobe, MPI_Improbe
// and MPI_Win_test that find nothing poll progress and retry, at most 8 times.
#pragma once

#include <atomic>

namespace terrace::preload {

/// Each poll takes in one message or a few; programs that find nothing pay for all polls.
inline constexpr unsigned kPollsAfterCollective = 8;

inline std::atomic<unsigned> progress_owed{0};

inline void owe_progress() {
  // relaxed: a hint of this process's own, which orders nothing. Partner: `pay_progress`.
  progress_owed.store(kPollsAfterCollective, std::memory_order_relaxed);
}

/// Whether a debt was left. Threads that ask at once may poll once more or less.
inline bool pay_progress() {
  // relaxed, both: as in `owe_progress`, which is the partner.
  const unsigned owed = progress_owed.load(std::memory_order_relaxed);
  if (owed == 0) return false;
  progress_owed.store(owed - 1, std::memory_order_relaxed);
  return true;
}

}  // namespace terrace::preload
