// SPDX-License-Identifier: BSD-3-Clause
// What the functions of windows have in common: the window of a handle, and errors.
#pragma once

#include <string>

#include "threadranks/mpi/adapter.hpp"
#include "threadranks/windows/window.hpp"

namespace terrace::threadranks::mpi {

int their_flavor(Flavor flavor);

/// Raises an error by the window's error handler; without one, it is fatal.
int fail(const WindowErrors& errors, const char* function, int error_class,
         const std::string& sentence);

/// A call on a window: checks arguments, and remembers the first error. Holds the rank's lock.
class WindowCaller {
 public:
  WindowCaller(const char* function, MPI_Win win);

  int error() const { return error_; }
  Window& window() const { return *window_; }
  int fail(int error_class, const std::string& sentence);
  /// An error unless it holds.
  void check(bool holds, int error_class, const char* sentence) {
    if (!error_ && !holds) fail(error_class, sentence);
  }
  void check_assertions(int given, int allowed);
  /// The rank of a target; MPI_PROC_NULL is none.
  void check_target(int target);
  /// Also that an epoch allows accesses to it.
  void check_access(int target);
  // Raise the failure of an earlier call that could not be checked when it was made, and is
  // complete now: at any target, or at that one.
  void check_failures() {
    if (error_) return;
    if (const int target = window_->failed_target(); target >= 0) [[unlikely]]
      fail_of_earlier_calls(target);
  }
  void check_failures(int target) {
    if (!error_ && window_->has_failed(target)) [[unlikely]]
      fail_of_earlier_calls(target);
  }
  Layout layout(const void* buffer, std::int64_t count, MPI_Datatype type) {
    return checked_layout(*this, buffer, count, type);
  }
  /// Elements in the target's memory.
  Layout target_layout(int target, MPI_Aint displacement, std::int64_t count, MPI_Datatype type);

 private:
  [[gnu::cold]] void fail_of_earlier_calls(int target);

  const char* function_;
  Window* window_;
  CriticalSection critical_;
  int error_ = MPI_SUCCESS;
};

}  // namespace terrace::threadranks::mpi
