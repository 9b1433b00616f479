// SPDX-License-Identifier: BSD-3-Clause
// The lock of one member's window: MPI_Win_lock, shared or exclusive. First come, first served; the
// rank that unlocks grants it to those in front, and tells them. But a shared lock joins those that
// are held, past an exclusive one that waits: their holders may wait for what its rank will do.
//
//     held by: 2 shared     queue: [exclusive, rank 3] [shared, rank 1]
#pragma once

#include <deque>
#include <mutex>

namespace terrace::threadranks {

class RankState;

class RankLock {
 public:
  /// A waiter for the lock: a rank of this process, or of another one.
  class Waiter {
   public:
    explicit Waiter(bool exclusive) : is_exclusive(exclusive) {}
    virtual ~Waiter() = default;
    /// It has the lock now. The last that is done with the waiter.
    virtual void granted() = 0;
    const bool is_exclusive;
  };

  /// Waits until the rank has it.
  void lock(RankState& state, bool is_exclusive);
  /// Whether it was to be had at once.
  bool try_lock(bool is_exclusive);
  /// Whether it was to be had at once; otherwise the waiter is told later.
  bool lock_or_queue(Waiter& waiter);
  void unlock(bool is_exclusive);

 private:
  bool is_free_for(bool is_exclusive) const {
    return !is_exclusive_ && (shared_ == 0 || !is_exclusive);
  }
  bool take_if_free(bool is_exclusive);
  void take(bool is_exclusive);

  std::mutex mutex_;
  int shared_ = 0;  ///< holders
  bool is_exclusive_ = false;
  std::deque<Waiter*> queue_;
};

}  // namespace terrace::threadranks
