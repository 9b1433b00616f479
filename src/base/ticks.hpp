// SPDX-License-Identifier: BSD-3-Clause
// The system's clock, and the processor's own: read in a few nanoseconds, with a resolution of less
// than one.
#pragma once

#include <time.h>

#include <cstdint>

namespace terrace {

/// The system's monotonic clock.
inline std::uint64_t monotonic_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

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

/// Nanoseconds per tick. Measured against the system's clock at first use, in half a millisecond.
double ns_per_tick() noexcept;

/// Nanoseconds since a reading on this core.
inline double ns_since(std::uint64_t begin) noexcept {
  return static_cast<double>(ticks() - begin) * ns_per_tick();
}

}  // namespace terrace
