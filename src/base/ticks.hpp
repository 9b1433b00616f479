// SPDX-License-Identifier: BSD-3-Clause
// The kernel's clock, and the processor's own: read in a few nanoseconds, with a resolution of less
// than one.
#pragma once

#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace terrace {

namespace detail {
using ClockFunction = int (*)(clockid_t, timespec*);
extern std::atomic<ClockFunction> read_kernel_clock;
}  // namespace detail

/// The kernel's monotonic clock, whatever a library such as libfaketime tells the program: it
/// neither stands still nor goes back, so that waits end and differences are no less than 0.
inline std::uint64_t monotonic_ns() noexcept {
  timespec now{};
  // relaxed: a function, which orders nothing. Partner: the first call stores it.
  detail::read_kernel_clock.load(std::memory_order_relaxed)(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// The kernel's clock as one of the standard library's kind, in place of
/// std::chrono::steady_clock.
struct KernelClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<KernelClock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept {
    return time_point(duration(static_cast<rep>(monotonic_ns())));
  }
};

/// Only differences between readings on one core have a meaning on every machine.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t count;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
  return monotonic_ns();
#endif
}

/// The clock once all loads before it are over. Cores read it ahead of them otherwise, and loads
/// seem to take no time.
inline std::uint64_t ticks_after_loads() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_lfence();
#elif defined(__aarch64__)
  asm volatile("dsb ishld\n\tisb" ::: "memory");
#endif
  return ticks();
}

/// Nanoseconds per tick. Measured against the kernel's clock at first use, in half a millisecond.
double ns_per_tick() noexcept;

/// Nanoseconds since a reading on this core, all loads between included.
inline double ns_since(std::uint64_t begin) noexcept {
  return static_cast<double>(ticks_after_loads() - begin) * ns_per_tick();
}

}  // namespace terrace
