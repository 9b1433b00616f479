// SPDX-License-Identifier: BSD-3-Clause
// The lock of a member's elements while they are accumulated. A thread that combines many of them
// lets others in between pieces; it would mostly take a plain mutex again before a waiter has woken
// up.
#pragma once

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>

namespace terrace::threadranks {

class AccumulateLock {
 public:
  void lock() {
    if (mutex_.try_lock()) return;
    // relaxed, all: hints. Partner: `let_others_in`. The mutex orders what it guards.
    waiting_.fetch_add(1, std::memory_order_relaxed);
    mutex_.lock();
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    taken_.fetch_add(1, std::memory_order_relaxed);
  }
  void unlock() { mutex_.unlock(); }

  /// Called by the holder: lets a waiter have the lock, if there is one, and takes it again.
  void let_others_in() {
    if (!is_waited_for()) return;
    const std::uint32_t before = taken();
    const int most = most_yields_;
    mutex_.unlock();
    for (int i = 0; i < most && is_waited_for() && taken() == before; ++i) sched_yield();
    lock();
    most_yields_ = taken() != before ? kMostYields : std::max(most / 2, kFewestYields);
  }

 private:
  // relaxed, both: hints. Partner: `lock`.
  bool is_waited_for() const { return waiting_.load(std::memory_order_relaxed) > 0; }
  std::uint32_t taken() const { return taken_.load(std::memory_order_relaxed); }

  /// Yields for which the holder stays away: the waiter may have no core to take the lock on. Each
  /// time it has not come, half as long the next time, down to about what it takes to wake up.
  static constexpr int kMostYields = 1000, kFewestYields = 60;

  std::mutex mutex_;
  int most_yields_ = kMostYields;  ///< guarded by the mutex
  std::atomic<std::uint32_t> waiting_{0}, taken_{0};
};

}  // namespace terrace::threadranks
