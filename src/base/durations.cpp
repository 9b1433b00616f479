// SPDX-License-Identifier: BSD-3-Clause
// Prints numbers with a unit and one decimal.
#include "base/durations.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace terrace {

std::string duration_text(double ns) {
  static constexpr std::array<const char*, 4> kUnits = {"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  // 999.95 would be printed as 1000.0.
  for (; std::abs(ns) >= 999.95 && unit + 1 < kUnits.size(); ++unit) ns /= 1000;
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.1f %s", ns, kUnits[unit]);
  return text.data();
}

}  // namespace terrace
