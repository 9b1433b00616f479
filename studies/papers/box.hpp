// SPDX-License-Identifier: BSD-3-Clause
// A box of parameters: for each a stated range. A claim about shapes is asked at points spread
// evenly over the box, the same in every run; the answer is the share of points at which it holds.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace terrace::papers {

struct Axis {
  std::string name;
  double from = 0, to = 0;
  bool is_logarithmic = false;  ///< as many points between 1 and 2 as between 2 and 4
};

/// One value per axis.
using FactorPoint = std::span<const double>;

struct FactorBox {
  std::vector<Axis> axes;

  /// "b_alpha 2.5 to 10 ns/line, ..."
  std::string text() const;
  /// Halton's sequence: even in every projection, no random numbers. From 0.
  std::vector<double> point(std::size_t index) const;
};

inline constexpr std::size_t kPoints = 2048;

/// The share of a box in which something holds, and the axis that tells it best: at how many points
/// "holds if that value is below (above) the threshold" is right.
struct BoxShare {
  std::size_t holds = 0, of = 0;
  std::size_t axis = 0;
  double threshold = 0;
  bool holds_below = true;
  std::size_t right = 0;

  double fraction() const { return static_cast<double>(holds) / static_cast<double>(of); }
};

BoxShare share_of(const FactorBox& box, const std::function<bool(FactorPoint)>& holds,
                  std::size_t points = kPoints);

/// The smallest, middle and largest of a quantity over the box.
struct Spread {
  double least = 0, median = 0, most = 0;
};
Spread spread_of(const FactorBox& box, const std::function<double(FactorPoint)>& quantity,
                 std::size_t points = kPoints);

}  // namespace terrace::papers
