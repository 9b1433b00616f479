// SPDX-License-Identifier: BSD-3-Clause
// Binding: whether a worker is bound to its core. Bound workers do not get into each other's way,
// but where another program computes on a core, its worker has the rest of that core alone, and
// ranks that meet are as slow as the slowest. If ranks compute between their waits, the kernel does
// better with workers that it may move; if they hardly do, it would put two workers onto one core,
// where each wait for the other one takes microseconds. Used by the monitor alone.
#pragma once

#include <cstdint>

#include "fibres/kernel_thread.hpp"

namespace terrace {

class Binding {
 public:
  /// Whether the worker had better be bound, after a look that finds how its kernel thread has
  /// spent the time since the one before, and how many waits its fibres have begun.
  bool is_bound_after(const ThreadTimes& spent, std::uint64_t waits, std::uint64_t now_ns);

  /// The core is shared if, in so many looks in a row, the thread has waited for it for more than
  /// one in `kSharedPart` of the time in which it could have run.
  static constexpr std::uint64_t kSharedPart = 8, kLooksInARow = 2;
  /// It is the worker's own if the thread has waited for at most one in `kOwnPart`.
  static constexpr std::uint64_t kOwnPart = 32;
  /// Time that has to pass before the worker is bound again: longer each time, to a bound.
  static constexpr std::uint64_t kFirstPatienceNs = 100'000'000, kMostPatienceNs = 3'200'000'000;
  /// Fibres that run for less between two waits hardly compute. An estimate: about what a wait for
  /// a worker on the same core costs by what computing gains there.
  static constexpr std::uint64_t kLeastBetweenWaitsNs = 5'000;

 private:
  bool is_bound_ = true;
  std::uint64_t other_looks_ = 0;  ///< in a row, that speak against what is
  std::uint64_t own_since_ns_ = 0;
  std::uint64_t patience_ns_ = kFirstPatienceNs / 2;
};

}  // namespace terrace
