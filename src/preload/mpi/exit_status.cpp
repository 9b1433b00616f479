// SPDX-License-Identifier: BSD-3-Clause
// The status takes effect in one of the last exit handlers, after the program's own.
#include "preload/mpi/exit_status.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "base/say.hpp"
#include "preload/mpi/trace.hpp"

namespace terrace::preload {

namespace {

std::atomic<bool> has_failed{false};

__attribute__((destructor)) void at_exit() {
  // relaxed: the other threads have ended, or do not matter. No partner.
  if (!has_failed.load(std::memory_order_relaxed)) return;
  std::fflush(nullptr);
  exit_as_failed();
}

}  // namespace

void fail_at_exit() noexcept {
  // relaxed: as above.
  has_failed.store(true, std::memory_order_relaxed);
}

void end_for_mismatch(UnderlyingMpi& underlying, bool is_ending,
                      const std::string& calls) noexcept {
  if (!is_ending) end_recording();
  say(calls + ". All ranks of a communicator must make the same calls in the same order. " +
      (is_ending ? "This process ends with status 1" : "Ending the job") +
      " (with TERRACE=off, these calls fall back to the MPI)");
  if (is_ending)
    fail_at_exit();
  else
    underlying.end_job();
}

void exit_as_failed() noexcept {
  _exit(1);
}

}  // namespace terrace::preload
