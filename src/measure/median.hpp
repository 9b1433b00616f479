// SPDX-License-Identifier: BSD-3-Clause
// Order statistics of a few measurements.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

namespace terrace::measure {

/// The upper one of two in the middle; 0 of nothing.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The lower quartile; 0 of nothing. Interruptions only make times longer.
inline double lower_quartile(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto quarter = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 4);
  std::nth_element(values.begin(), quarter, values.end());
  return *quarter;
}

/// The share of pairs of a time of `one` and a time of `other` in which the first is shorter (the
/// statistic of Mann and Whitney).
inline double share_won(std::span<const double> one, std::span<const double> other) {
  double won = 0;
  for (const double mine : one)
    for (const double theirs : other) won += mine < theirs ? 1 : mine == theirs ? 0.5 : 0;
  return won / static_cast<double>(one.size() * other.size());
}

}  // namespace terrace::measure
