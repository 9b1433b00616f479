// SPDX-License-Identifier: BSD-3-Clause
// Makes windows, and opens and closes their epochs.
#include "threadranks/windows/window.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/cache_aligned.hpp"
#include "threadranks/ranks/rank_state.hpp"

namespace terrace::threadranks {

namespace {

std::byte* memory_of(std::size_t bytes) {
  void* memory = nullptr;
  const int error = posix_memalign(&memory, kLineBytes, std::max(bytes, kLineBytes));
  return error == 0 ? static_cast<std::byte*>(memory) : nullptr;
}

bool contains(const std::vector<int>& ranks, int rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

}  // namespace

bool Epochs::may_access(int target) const {
  if (is_fenced || is_all_locked) return true;
  if (is_started && contains(started, target)) return true;
  return locks[static_cast<std::size_t>(target)] != Lock::none;
}

Window::Window(Communicator& communicator, Flavor its_flavor)
    : flavor(its_flavor), communicator_(&communicator) {
  const auto size = static_cast<std::size_t>(communicator.size());
  posts_taken_.resize(size);
  epochs.locks.resize(size);
  if (rank() == 0) shared_ = new SharedWindow(size);
  bcast(communicator, &shared_, sizeof shared_, 0);
}

Window::~Window() {
  // acq_rel: the last to leave frees what all have used; all call this.
  if (shared_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    std::free(shared_->memory);
    delete shared_;
  }
  std::free(allocated_);
  communicator_->release();
}

void Window::publish(void* base, std::size_t bytes, std::ptrdiff_t unit) {
  own().base = static_cast<std::byte*>(base);
  own().bytes = bytes;
  own().unit = unit;
  barrier(*communicator_);
}

bool Window::publish_allocated(std::size_t bytes, std::ptrdiff_t unit) {
  allocated_ = memory_of(bytes);
  const char mine = allocated_ != nullptr;
  std::vector<char> all(static_cast<std::size_t>(size()));
  allgather(*communicator_, &mine, all.data(), 1);
  if (std::count(all.begin(), all.end(), 1) < size()) return false;
  publish(allocated_, bytes, unit);
  return true;
}

bool Window::publish_shared(std::size_t bytes, std::ptrdiff_t unit) {
  std::vector<std::size_t> all(static_cast<std::size_t>(size()));
  allgather(*communicator_, &bytes, all.data(), sizeof bytes);
  std::size_t before = 0, total = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (static_cast<int>(i) == rank()) before = total;
    total += all[i];
  }
  if (rank() == 0) shared_->memory = memory_of(total);
  barrier(*communicator_);
  if (shared_->memory == nullptr) return false;
  publish(shared_->memory + before, bytes, unit);
  return true;
}

Mailbox& Window::mailbox_of(int rank) const {
  return *communicator_->address_of(rank, 0).mailbox;
}

void Window::fence() {
  barrier(*communicator_);
}

/// Counts a post in each origin's member.
void Window::post(const std::vector<int>& origins) {
  epochs.is_posted = true;
  epochs.posted = origins;
  for (const int origin : origins) {
    // release: pairs with the acquire in `start`; what the target stored before is there.
    member(origin).posts[static_cast<std::size_t>(rank())].fetch_add(1, std::memory_order_release);
    mailbox_of(origin).notify();
  }
}

void Window::start(const std::vector<int>& targets) {
  epochs.is_started = true;
  epochs.started = targets;
  for (const int target : targets) {
    const auto& posts = own().posts[static_cast<std::size_t>(target)];
    std::uint32_t& taken = posts_taken_[static_cast<std::size_t>(target)];
    // acquire: pairs with the release in `post`.
    state().wait([&] { return posts.load(std::memory_order_acquire) != taken; });
    ++taken;
  }
}

void Window::complete() {
  epochs.is_started = false;
  for (const int target : epochs.started) {
    // release: pairs with the acquire in `has_completed`; what was put is there.
    member(target).completions.fetch_add(1, std::memory_order_release);
    mailbox_of(target).notify();
  }
}

bool Window::has_completed() {
  // acquire: pairs with the release in `complete`.
  const bool is_over = own().completions.load(std::memory_order_acquire) >= epochs.posted.size();
  if (is_over) end_exposure();
  return is_over;
}

void Window::wait() {
  // acquire: pairs with the release in `complete`.
  state().wait(
      [&] { return own().completions.load(std::memory_order_acquire) >= epochs.posted.size(); });
  end_exposure();
}

void Window::end_exposure() {
  // relaxed: each origin completes once for each post, so none adds meanwhile; no partner.
  own().completions.fetch_sub(static_cast<std::uint32_t>(epochs.posted.size()),
                              std::memory_order_relaxed);
  epochs.is_posted = false;
}

void Window::lock(int target, bool is_exclusive) {
  member(target).lock.lock(state(), is_exclusive);
  epochs.locks[static_cast<std::size_t>(target)] =
      is_exclusive ? Epochs::Lock::exclusive : Epochs::Lock::shared;
  ++epochs.lock_count;
}

void Window::unlock(int target) {
  Epochs::Lock& lock = epochs.locks[static_cast<std::size_t>(target)];
  member(target).lock.unlock(lock == Epochs::Lock::exclusive);
  lock = Epochs::Lock::none;
  --epochs.lock_count;
}

/// In the order of ranks, so that two that lock all do not wait for each other.
void Window::lock_all() {
  for (int target = 0; target < size(); ++target) member(target).lock.lock(state(), false);
  epochs.is_all_locked = true;
}

void Window::unlock_all() {
  for (int target = 0; target < size(); ++target) member(target).lock.unlock(false);
  epochs.is_all_locked = false;
}

void Window::flush() {
  // seq_cst: a program may read and write windows' memory itself; its partners are other flushes.
#ifdef __SANITIZE_THREAD__
  shared_->flushes.fetch_add(1, std::memory_order_seq_cst);  // ThreadSanitizer knows no fences
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  state().test([] { return false; });
}

}  // namespace terrace::threadranks
