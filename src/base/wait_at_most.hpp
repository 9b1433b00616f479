// SPDX-License-Identifier: BSD-3-Clause
// Waits at a condition variable by the kernel's clock: `std::condition_variable::wait_for` asks the
// program's, which libfaketime may have stopped.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "base/ticks.hpp"

namespace terrace {

/// Waits until `holds()`, or for so long. False: it still does not.
template <class Predicate>
bool wait_at_most(std::uint64_t ns, std::condition_variable& changes,
                  std::unique_lock<std::mutex>& lock, const Predicate& holds) {
  const std::uint64_t end = monotonic_ns() + ns;
  const std::chrono::steady_clock::time_point until{std::chrono::nanoseconds(end)};
  while (!holds()) {
    if (monotonic_ns() >= end) return false;
    changes.wait_until(lock, until);
  }
  return true;
}

}  // namespace terrace
