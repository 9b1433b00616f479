// SPDX-License-Identifier: BSD-3-Clause
// Takes and hands on the lock of a member's window.
#include "threadranks/windows/rank_lock.hpp"

#include <atomic>
#include <vector>

#include "base/contract.hpp"
#include "threadranks/ranks/rank_state.hpp"

namespace terrace::threadranks {

namespace {

/// A rank of this process, which is asleep perhaps.
class WaitingRank final : public RankLock::Waiter {
 public:
  WaitingRank(Mailbox& mailbox, bool exclusive) : Waiter(exclusive), mailbox_(mailbox) {}
  void granted() override {
    Mailbox& mailbox = mailbox_;
    // release: pairs with the acquire in `has_it`. The waiter may be gone from then on.
    has_it_.store(true, std::memory_order_release);
    mailbox.notify();
  }
  // acquire: pairs with the release in `granted`; what earlier holders wrote is there.
  bool has_it() const { return has_it_.load(std::memory_order_acquire); }

 private:
  Mailbox& mailbox_;
  std::atomic<bool> has_it_{false};
};

}  // namespace

void RankLock::take(bool is_exclusive) {
  if (is_exclusive)
    is_exclusive_ = true;
  else
    ++shared_;
}

bool RankLock::take_if_free(bool is_exclusive) {
  const bool may_overtake = queue_.empty() || (!is_exclusive && shared_ > 0);
  if (!may_overtake || !is_free_for(is_exclusive)) return false;
  take(is_exclusive);
  return true;
}

bool RankLock::try_lock(bool is_exclusive) {
  const std::lock_guard guard(mutex_);
  return take_if_free(is_exclusive);
}

bool RankLock::lock_or_queue(Waiter& waiter) {
  const std::lock_guard guard(mutex_);
  if (take_if_free(waiter.is_exclusive)) return true;
  queue_.push_back(&waiter);
  return false;
}

void RankLock::lock(RankState& state, bool is_exclusive) {
  WaitingRank waiter(state.messages().mailbox(), is_exclusive);
  if (lock_or_queue(waiter)) return;
  state.wait([&] { return waiter.has_it(); });
}

/// Waiters are told when the mutex is free: to tell one of another process may mean to drive, and
/// so to carry out calls that ask for this lock.
void RankLock::unlock(bool is_exclusive) {
  std::vector<Waiter*> next;
  {
    const std::lock_guard guard(mutex_);
    TERRACE_ASSERT(is_exclusive ? is_exclusive_ : shared_ > 0, shared_);
    if (is_exclusive)
      is_exclusive_ = false;
    else
      --shared_;
    while (!queue_.empty() && is_free_for(queue_.front()->is_exclusive)) {
      take(queue_.front()->is_exclusive);
      next.push_back(queue_.front());
      queue_.pop_front();
    }
  }
  for (Waiter* const waiter : next) waiter->granted();
}

}  // namespace terrace::threadranks
