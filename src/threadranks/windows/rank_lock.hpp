// SPDX-License-Identifier: BSD-3-Clause
// The lock of one member's window: MPI_Win_lock, shared or exclusive. First come, first served; the
// rank that unlocks grants it to those in front, and wakes them. But a shared lock joins those that
// are held, past an exclusive one that waits: their holders may wait for what its rank will do.
//
//     held by: 2 shared     queue: [exclusive, rank 3] [shared, rank 1]
#pragma once

#include <atomic>
#include <deque>
#include <mutex>

namespace terrace::threadranks {

class Mailbox;
class RankState;

class RankLock {
 public:
  /// Waits until the rank has it.
  void lock(RankState& state, bool is_exclusive);
  void unlock(bool is_exclusive);

 private:
  struct Waiter {
    bool is_exclusive;
    Mailbox* mailbox;
    std::atomic<bool> has_it{false};
  };

  bool is_free_for(bool is_exclusive) const {
    return !is_exclusive_ && (shared_ == 0 || !is_exclusive);
  }
  void take(bool is_exclusive);

  std::mutex mutex_;
  int shared_ = 0;  ///< holders
  bool is_exclusive_ = false;
  std::deque<Waiter*> queue_;
};

}  // namespace terrace::threadranks
