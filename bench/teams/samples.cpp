// SPDX-License-Identifier: BSD-3-Clause
// Order statistics, and two heaps told apart.
#include "samples.hpp"

#include <algorithm>
#include <cmath>

namespace terrace::bench {

std::string Regimes::of(const Sample& sample) const {
  if (threshold == 0) return "single";
  const bool before_far = sample.before > threshold, after_far = sample.after > threshold;
  if (before_far != after_far) return "";
  return before_far ? "far" : "near";
}

Regimes find_regimes(std::vector<double> probes) {
  Regimes regimes;
  std::erase_if(probes, [](double probe) { return probe <= 0; });
  if (probes.size() < 20) return regimes;
  std::sort(probes.begin(), probes.end());
  const std::size_t cut = probes.size() / 20;
  regimes.low = probes[cut];
  regimes.high = probes[probes.size() - 1 - cut];
  // The widest gap between neighbours, by ratio; a heap needs more than a handful of members.
  double widest = 1;
  for (std::size_t i = cut; i + cut + 1 < probes.size(); ++i)
    if (const double gap = probes[i + 1] / probes[i]; gap > widest) {
      widest = gap;
      regimes.threshold = std::sqrt(probes[i] * probes[i + 1]);
    }
  if (widest < 1.4 || regimes.high < 2 * regimes.low) regimes.threshold = 0;
  return regimes;
}

Median median_of(std::vector<double> values) {
  Median median;
  median.count = values.size();
  if (values.empty()) return median;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  median.value = n % 2 != 0 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
  // The count of values below the true median is binomial: n/2 give or take 1.96 * sqrt(n)/2.
  const double spread = 0.98 * std::sqrt(static_cast<double>(n));
  const double middle = static_cast<double>(n) / 2;
  const double lowest = std::floor(middle - spread), highest = std::ceil(middle + spread);
  median.low = values[lowest < 0 ? 0 : static_cast<std::size_t>(lowest)];
  median.high =
      values[highest >= static_cast<double>(n) ? n - 1 : static_cast<std::size_t>(highest)];
  return median;
}

std::string verdict(const Median& ratio, double us, double floor_us) {
  if (ratio.count < 6) return "unknown";
  if (ratio.low > 1) return "faster";
  if (floor_us > 0 && us <= 1.15 * floor_us) return "met at floor";
  return ratio.low >= 0.95 ? "not slower" : "slower";
}

}  // namespace terrace::bench
