// SPDX-License-Identifier: BSD-3-Clause
// Makes windows, and opens and closes their epochs.
#include "threadranks/windows/window.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/cache_aligned.hpp"
#include "threadranks/ranks/rank_state.hpp"
#include "threadranks/windows/window_service.hpp"

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
  errors->window = this;
  const auto size = static_cast<std::size_t>(communicator.size());
  posts_taken_.resize(size);
  epochs.locks.resize(size);
  shared_ = &WindowService::of(state().job()).shared_of(communicator.shared(), flavor);
  if (communicator.spans()) remote_ = std::make_unique<RemoteAccess>(communicator, *shared_);
}

Window::~Window() {
  errors->window = nullptr;
  // acq_rel: the last to leave frees what all have used; all call this.
  if (shared_->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    WindowService::of(state().job()).forget(*shared_);
  std::free(allocated_);
  communicator_->release();
}

void Window::publish(void* base, std::size_t bytes, std::ptrdiff_t unit) {
  own().base = static_cast<std::byte*>(base);
  own().bytes = bytes;
  own().unit = unit;
  if (remote_) tell_of_the_others();
  barrier(*communicator_);
}

/// Learns where members in other processes have their memory. The first member of this process
/// writes it down for all.
void Window::tell_of_the_others() {
  struct Memory {
    std::byte* base;
    std::size_t bytes;
    std::ptrdiff_t unit;
  };
  const Memory mine{own().base, own().bytes, own().unit};
  std::vector<Memory> all(static_cast<std::size_t>(size()));
  allgather(*communicator_, &mine, all.data(), sizeof mine);
  if (communicator_->shared().spanning->here().places.front() != rank()) return;
  for (int other = 0; other < size(); ++other) {
    if (remote_->is_here(other)) continue;
    const Memory& its = all[static_cast<std::size_t>(other)];
    member(other).base = its.base;
    member(other).bytes = its.bytes;
    member(other).unit = its.unit;
  }
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
    if (__builtin_add_overflow(total, all[i], &total)) return false;  // on all members alike
  }
  if (rank() == 0) shared_->memory = memory_of(total);
  barrier(*communicator_);
  if (shared_->memory == nullptr) return false;
  publish(shared_->memory + before, bytes, unit);
  return true;
}

void Window::fence() {
  if (remote_) remote_->flush(remote_->others());
  barrier(*communicator_);
}

/// Counts a post in each origin's member.
void Window::post(const std::vector<int>& origins) {
  epochs.is_posted = true;
  epochs.posted = origins;
  for (const int origin : origins)
    if (RemoteAccess* const way = way_to(origin))
      way->tell_posted(origin);
    else
      member(origin).note_post(rank());
}

void Window::start(const std::vector<int>& targets) {
  epochs.is_started = true;
  epochs.started = targets;
  for (const int target : targets) {
    const auto& posts = own().posts[static_cast<std::size_t>(target)];
    std::uint32_t& taken = posts_taken_[static_cast<std::size_t>(target)];
    // acquire: pairs with the release in `note_post`.
    state().wait([&] { return posts.load(std::memory_order_acquire) != taken; });
    ++taken;
  }
}

void Window::complete() {
  epochs.is_started = false;
  std::vector<int> elsewhere;
  for (const int target : epochs.started)
    if (way_to(target) != nullptr)
      elsewhere.push_back(target);
    else
      member(target).note_completion();
  if (remote_) remote_->complete(elsewhere);
}

bool Window::has_completed() {
  // acquire: pairs with the release in `note_completion`.
  const bool is_over = own().completions.load(std::memory_order_acquire) >= epochs.posted.size();
  if (is_over) end_exposure();
  return is_over;
}

void Window::wait() {
  // acquire: pairs with the release in `note_completion`.
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
  if (RemoteAccess* const way = way_to(target))
    way->lock(target, target, is_exclusive);
  else
    member(target).lock.lock(state(), is_exclusive);
  epochs.locks[static_cast<std::size_t>(target)] =
      is_exclusive ? Epochs::Lock::exclusive : Epochs::Lock::shared;
  ++epochs.lock_count;
}

void Window::unlock(int target) {
  Epochs::Lock& lock = epochs.locks[static_cast<std::size_t>(target)];
  if (RemoteAccess* const way = way_to(target))
    way->unlock(target, lock == Epochs::Lock::exclusive);
  else
    member(target).lock.unlock(lock == Epochs::Lock::exclusive);
  lock = Epochs::Lock::none;
  --epochs.lock_count;
}

/// In the order of ranks, so that two that lock all do not wait for each other.
void Window::lock_all() {
  for (int target = 0, last; target < size(); target = last + 1) {
    RemoteAccess* const way = way_to(target);
    last = way != nullptr ? way->last_beside(target) : target;
    if (way != nullptr)
      way->lock(target, last, false);
    else
      member(target).lock.lock(state(), false);
  }
  epochs.is_all_locked = true;
}

void Window::unlock_all() {
  for (int target = 0; target < size(); ++target)
    if (way_to(target) == nullptr) member(target).lock.unlock(false);
  if (remote_) remote_->unlock_all();
  epochs.is_all_locked = false;
}

void Window::flush(int target) {
  if (RemoteAccess* const way = way_to(target)) way->flush({&target, 1});
  sync();
}

void Window::flush_local(int target) {
  if (RemoteAccess* const way = way_to(target)) way->flush_local({&target, 1});
  sync();
}

void Window::flush_all() {
  if (remote_) remote_->flush(remote_->others());
  sync();
}

void Window::flush_local_all() {
  if (remote_) remote_->flush_local(remote_->others());
  sync();
}

void Window::close() {
  if (remote_) remote_->flush(remote_->others());
  barrier(*communicator_);
}

void Window::sync() {
  // seq_cst: a program may read and write windows' memory itself; its partners are other flushes.
#ifdef __SANITIZE_THREAD__
  shared_->flushes.fetch_add(1, std::memory_order_seq_cst);  // ThreadSanitizer knows no fences
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  state().test([] { return false; });
}

}  // namespace terrace::threadranks
