// SPDX-License-Identifier: BSD-3-Clause
// Order statistics.
#include "measure/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace terrace::measure {

Summary summary_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  const auto at = [&](double number) {
    const double most = count - 1;
    return values[static_cast<std::size_t>(std::clamp(number, 0.0, most))];
  };
  const double half = 0.98 * std::sqrt(count);
  return {values[values.size() / 2], at(std::floor(count / 2 - half) - 1),
          at(std::ceil(count / 2 + half)), static_cast<int>(values.size())};
}

double gap_in(std::vector<double> values) {
  constexpr double kGap = 1.5, kShare = 0.2;
  std::sort(values.begin(), values.end());
  const auto least =
      static_cast<std::size_t>(std::ceil(kShare * static_cast<double>(values.size())));
  double widest = kGap, middle = 0;
  for (std::size_t i = std::max<std::size_t>(least, 1); i + least <= values.size(); ++i)
    if (values[i - 1] > 0 && values[i] / values[i - 1] >= widest) {
      widest = values[i] / values[i - 1];
      middle = (values[i] + values[i - 1]) / 2;
    }
  return middle;
}

}  // namespace terrace::measure
