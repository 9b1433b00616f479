// SPDX-License-Identifier: BSD-3-Clause
// What the MPI has not looked at since a collective of ours. Its own collectives take in whatever
// arrived before them, so that programs find a message that was sent before a barrier when they
// probe for it once. Ours do not touch the MPI, which would cost as much as a small collective;
// instead, calls that find nothing look again.
#pragma once

#include <atomic>

namespace terrace::preload {

/// Each look takes in one message, or some; programs that find nothing pay for all of them.
inline constexpr unsigned kLooksAfterCollective = 8;

inline std::atomic<unsigned> looks_owed{0};

inline void owe_looks() {
  // relaxed: a hint of this process's own, which orders nothing. Partner: `pay_look`.
  looks_owed.store(kLooksAfterCollective, std::memory_order_relaxed);
}

/// Whether there was one. Threads that ask at once may look once more or once less.
inline bool pay_look() {
  // relaxed, both: as in `owe_looks`, which is the partner.
  const unsigned owed = looks_owed.load(std::memory_order_relaxed);
  if (owed == 0) return false;
  looks_owed.store(owed - 1, std::memory_order_relaxed);
  return true;
}

}  // namespace terrace::preload
