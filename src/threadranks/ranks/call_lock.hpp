// SPDX-License-Identifier: BSD-3-Clause
// The lock of one rank's calls, for MPI_THREAD_MULTIPLE: one thread at a time is inside of MPI, and
// a thread that waits there is outside meanwhile. With less, the lock is never taken.
//
//     thread 1   [ MPI_Send ]      [ MPI_Recv:  ---- waits, looks ---- done ]
//     thread 2              [ MPI_Isend ]     [ MPI_Wait ]
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/contract.hpp"

namespace terrace::threadranks {

class CallLock {
 public:
  /// Whether several threads may call at once. They may until MPI is initialized, as some functions
  /// can be called by any thread then.
  bool is_needed() const noexcept {
    // relaxed: changes only while no other thread may call; no partner.
    return is_needed_.load(std::memory_order_relaxed);
  }
  void set_needed(bool is_needed) noexcept {
    is_needed_.store(is_needed, std::memory_order_relaxed);  // relaxed: as above
  }

  /// A thread that is inside may enter again: by a callback, or one function that calls another.
  void enter() noexcept { enter_again(1); }
  void leave() noexcept {
    TERRACE_ASSERT(is_held() && depth_ > 0, depth_);
    if (--depth_ == 0) unlock();
  }
  /// Leaves, however often the thread has entered; returns how often that was.
  std::uint32_t leave_wholly() noexcept {
    if (!is_held()) return 0;
    const std::uint32_t depth = depth_;
    depth_ = 0;
    unlock();
    return depth;
  }
  void enter_again(std::uint32_t depth) noexcept {
    if (!is_held()) {
      mutex_.lock();
      // relaxed: only the thread itself finds its own mark there; no partner.
      owner_.store(&mark_of_thread(), std::memory_order_relaxed);
    }
    depth_ += depth;
  }
  /// Whether the calling thread holds the lock.
  bool is_held() const noexcept {
    return owner_.load(std::memory_order_relaxed) == &mark_of_thread();  // relaxed: as above
  }

  /// The function of MPI that the calling thread has entered last, with a lock.
  static const char*& function_of_thread() noexcept {
    static thread_local const char* name = "";
    return name;
  }
  /// Whether the calling thread may change what the rank's threads share.
  bool permits_caller() const noexcept { return !is_needed() || is_held(); }

 private:
  /// Its address tells threads apart.
  static char& mark_of_thread() noexcept {
    static thread_local char mark;
    return mark;
  }
  void unlock() noexcept {
    owner_.store(nullptr, std::memory_order_relaxed);  // relaxed: as above
    mutex_.unlock();
  }

  std::atomic<bool> is_needed_{true};
  std::atomic<const char*> owner_{nullptr};
  std::uint32_t depth_ = 0;  ///< guarded by the mutex
  std::mutex mutex_;
};

/// Holds the lock for the length of a call, if it is needed.
class CriticalSection {
 public:
  explicit CriticalSection(CallLock& lock) noexcept : CriticalSection(&lock, nullptr) {}
  /// Enters for a function of MPI, which messages name. Null: no lock, or no name.
  CriticalSection(CallLock* lock, const char* function) noexcept
      : lock_(lock != nullptr && lock->is_needed() ? lock : nullptr) {
    if (lock_ == nullptr) [[likely]]
      return;
    lock_->enter();
    if (function != nullptr) CallLock::function_of_thread() = function;
  }
  ~CriticalSection() {
    if (lock_ != nullptr) [[unlikely]]
      lock_->leave();
  }
  CriticalSection(const CriticalSection&) = delete;
  CriticalSection& operator=(const CriticalSection&) = delete;

 private:
  CallLock* lock_;
};

/// Lets other threads of the rank call while the calling one waits.
class Unlocked {
 public:
  explicit Unlocked(CallLock& lock) noexcept
      : lock_(lock), depth_(lock.is_needed() ? lock.leave_wholly() : 0) {}
  ~Unlocked() {
    if (depth_ > 0) [[unlikely]]
      lock_.enter_again(depth_);
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  CallLock& lock_;
  std::uint32_t depth_;
};

}  // namespace terrace::threadranks
