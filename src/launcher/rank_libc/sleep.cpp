// SPDX-License-Identifier: BSD-3-Clause
// Short sleeps and yields. A fibre lets the other ranks of its worker run meanwhile: programs that
// poll would keep the worker from them, and the monitor looks once in a millisecond only.
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "launcher/rank_libc/rank_libc.hpp"

namespace terrace::rank_libc {

namespace {

constexpr long kSecondNs = 1'000'000'000;
/// Longer ones are slept in the system, where they take no time of the processor.
constexpr long kShortNs = 2'000'000;

volatile sig_atomic_t signals_handled = 0;

/// Asks the kernel's clock, as `terrace_rank_pass` does: libfaketime may have stopped the other.
long now_ns() {
  timespec now;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return now.tv_sec * kSecondNs + now.tv_nsec;
}

bool is_short(const timespec& time) {
  return time.tv_sec == 0 && time.tv_nsec > 0 && time.tv_nsec <= kShortNs;
}

/// 0 when the time has passed, EINTR when a handler has run; -1 if the caller is no fibre.
int pass_for(long ns, timespec* left) {
  const sig_atomic_t before = signals_handled;
  const long end = now_ns() + ns;
  for (long rest = ns; rest > 0; rest = end - now_ns()) {
    if (!terrace_rank_pass(this_rank(), static_cast<uint64_t>(rest))) return -1;
    if (signals_handled == before) continue;
    if (left != nullptr) *left = {0, rest};
    return EINTR;
  }
  return 0;
}

/// An error's number, as clock_nanosleep returns it.
int sleep_for(clockid_t clock, int flags, const timespec* time, timespec* left) {
  const bool may_pass = flags == 0 && (clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME);
  if (may_pass && time != nullptr && is_short(*time))
    if (const int result = pass_for(time->tv_nsec, left); result >= 0) return result;
  return terrace_rank_sleep(clock, flags, time, left);
}

}  // namespace

void note_signal() {
  signals_handled = signals_handled + 1;
}

}  // namespace terrace::rank_libc

using namespace terrace::rank_libc;

extern "C" {

int own_clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left)
    TERRACE_INSTEAD_OF(clock_nanosleep);
int own_clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  return sleep_for(clock, flags, time, left);
}

int own_nanosleep(const timespec* time, timespec* left) TERRACE_INSTEAD_OF(nanosleep);
int own_nanosleep(const timespec* time, timespec* left) {
  const int error = sleep_for(CLOCK_REALTIME, 0, time, left);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int own_usleep(useconds_t microseconds) TERRACE_INSTEAD_OF(usleep);
int own_usleep(useconds_t microseconds) {
  const timespec time = {microseconds / 1'000'000,
                         1000 * static_cast<long>(microseconds % 1'000'000)};
  return own_nanosleep(&time, nullptr);
}

int own_thrd_sleep(const timespec* time, timespec* left) TERRACE_INSTEAD_OF(thrd_sleep);
int own_thrd_sleep(const timespec* time, timespec* left) {
  const int error = sleep_for(CLOCK_REALTIME, 0, time, left);
  return error == 0 ? 0 : error == EINTR ? -1 : -2;
}

int own_yield() TERRACE_INSTEAD_OF(sched_yield);
int own_yield() {
  if (terrace_rank_pass(this_rank(), 0)) return 0;
  return static_cast<int>(syscall(SYS_sched_yield));
}

void own_thrd_yield() TERRACE_INSTEAD_OF(thrd_yield);
void own_thrd_yield() {
  own_yield();
}

}  // extern "C"
