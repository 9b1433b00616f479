// SPDX-License-Identifier: BSD-3-Clause
// Measures how long a tick is.
#include "base/ticks.hpp"

#include <algorithm>

namespace terrace {

namespace {

constexpr double kMeasuredNs = 500'000;

/// The system's clock and the ticks at its reading: of a few readings, the one with the fewest
/// ticks around it, since an interrupted one is off.
struct Reading {
  double ns = 0;
  double ticks = 0;
};

Reading read_both() noexcept {
  Reading best;
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 5; ++i) {
    timespec now{};
    const std::uint64_t before = ticks();
    clock_gettime(CLOCK_MONOTONIC, &now);
    const std::uint64_t between = ticks() - before;
    if (between >= least) continue;
    least = between;
    best = {static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec),
            static_cast<double>(before) + 0.5 * static_cast<double>(between)};
  }
  return best;
}

double measured() noexcept {
  const Reading begin = read_both();
  Reading end = begin;
  while (end.ns - begin.ns < kMeasuredNs) end = read_both();
  return (end.ns - begin.ns) / std::max(1.0, end.ticks - begin.ticks);
}

}  // namespace

double ns_per_tick() noexcept {
  static const double ns = measured();
  return ns;
}

}  // namespace terrace
