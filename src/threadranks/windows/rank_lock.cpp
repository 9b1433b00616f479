// SPDX-License-Identifier: BSD-3-Clause
// Takes and hands on the lock of a member's window.
#include "threadranks/windows/rank_lock.hpp"

#include "base/contract.hpp"
#include "threadranks/ranks/rank_state.hpp"

namespace terrace::threadranks {

void RankLock::take(bool is_exclusive) {
  if (is_exclusive)
    is_exclusive_ = true;
  else
    ++shared_;
}

void RankLock::lock(RankState& state, bool is_exclusive) {
  Waiter waiter{is_exclusive, &state.messages().mailbox()};
  {
    const std::lock_guard guard(mutex_);
    const bool may_overtake = queue_.empty() || (!is_exclusive && shared_ > 0);
    if (may_overtake && is_free_for(is_exclusive)) return take(is_exclusive);
    queue_.push_back(&waiter);
  }
  // acquire: pairs with the release in `unlock`; what earlier holders wrote is there.
  state.wait([&] { return waiter.has_it.load(std::memory_order_acquire); });
}

void RankLock::unlock(bool is_exclusive) {
  const std::lock_guard guard(mutex_);
  TERRACE_ASSERT(is_exclusive ? is_exclusive_ : shared_ > 0, shared_);
  if (is_exclusive)
    is_exclusive_ = false;
  else
    --shared_;
  while (!queue_.empty() && is_free_for(queue_.front()->is_exclusive)) {
    Waiter& next = *queue_.front();
    queue_.pop_front();
    take(next.is_exclusive);
    Mailbox& mailbox = *next.mailbox;
    // release: pairs with the acquire in `lock`. The waiter may be gone from then on.
    next.has_it.store(true, std::memory_order_release);
    mailbox.notify();
  }
}

}  // namespace terrace::threadranks
