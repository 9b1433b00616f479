// SPDX-License-Identifier: BSD-3-Clause
// Handles Ctrl-C and SIGTERM in subcommands that take long, so that they end in order.
#pragma once

#include <atomic>
#include <csignal>

namespace terrace {

/// Exit status by which shells tell that SIGINT has ended a program.
inline constexpr int kInterrupted = 130;

inline std::atomic<bool> is_interrupted{false};

/// From now on signals that end a program only set `is_interrupted`.
inline void note_interruptions() {
  // relaxed: a flag that orders nothing. Partners: all readers of `is_interrupted`.
  const auto note = [](int) { is_interrupted.store(true, std::memory_order_relaxed); };
  std::signal(SIGINT, note);
  std::signal(SIGTERM, note);
}

/// Restores the default handlers, for code that does not read the flag.
inline void heed_interruptions() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace terrace
