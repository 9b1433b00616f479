// SPDX-License-Identifier: BSD-3-Clause
// Finds the kernel's clock, and measures how long a tick is.
#include "base/ticks.hpp"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace terrace {

namespace {

constexpr double kMeasuredNs = 500'000;
/// Readings of a tenth of a second and more: an emulated machine's clock may stand still.
constexpr int kMostReadings = 1 << 20;

int call_kernel(clockid_t clock, timespec* time) {
  return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
}

/// Finds the function that the kernel gives every process, else a system call: libc's clock_gettime
/// calls one of them, too, but a preloaded library may stand before that.
detail::ClockFunction kernel_clock() {
#if defined(__aarch64__)
  constexpr const char* kName = "__kernel_clock_gettime";
#else
  constexpr const char* kName = "__vdso_clock_gettime";
#endif
  void* const kernels = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  void* const found = kernels == nullptr ? nullptr : dlsym(kernels, kName);
  if (found == nullptr) dlerror();  // or a program would take it for its own
  return found == nullptr ? &call_kernel : reinterpret_cast<detail::ClockFunction>(found);
}

int find_and_call(clockid_t clock, timespec* time) {
  const detail::ClockFunction found = kernel_clock();
  // relaxed: a function, which orders nothing. Partner: `monotonic_ns`.
  detail::read_kernel_clock.store(found, std::memory_order_relaxed);
  return found(clock, time);
}

/// The kernel's clock and the ticks at its reading: of a few readings, the one with the fewest
/// ticks around it, since an interrupted one is off.
struct Reading {
  double ns = 0;
  double ticks = 0;
};

Reading read_both() noexcept {
  Reading best;
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t before = ticks();
    const std::uint64_t now = monotonic_ns();
    const std::uint64_t between = ticks() - before;
    if (between >= least) continue;
    least = between;
    best = {static_cast<double>(now),
            static_cast<double>(before) + 0.5 * static_cast<double>(between)};
  }
  return best;
}

double measured() noexcept {
  const Reading begin = read_both();
  Reading end = begin;
  for (int i = 0; i < kMostReadings && end.ns - begin.ns < kMeasuredNs; ++i) end = read_both();
  const double passed = end.ns - begin.ns;
  return passed > 0 ? passed / std::max(1.0, end.ticks - begin.ticks) : 1;
}

}  // namespace

constinit std::atomic<detail::ClockFunction> detail::read_kernel_clock{&find_and_call};

namespace {

/// Finds the clock when the library is loaded: the first to ask might hold a lock that the loader
/// wants, or have little stack.
[[maybe_unused]] const std::uint64_t kLoadedAtNs = monotonic_ns();

}  // namespace

double ns_per_tick() noexcept {
  static const double ns = measured();
  return ns;
}

}  // namespace terrace
