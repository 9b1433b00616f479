// SPDX-License-Identifier: BSD-3-Clause
// Points of a box, and the share of points at which a predicate holds.
#include "papers/box.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/contract.hpp"
#include "papers/claim.hpp"

namespace terrace::papers {
namespace {

constexpr std::array<std::size_t, 8> kPrimes = {2, 3, 5, 7, 11, 13, 17, 19};

/// The digits of `index` in a base, read backwards behind the point.
double mirrored(std::size_t index, std::size_t base) {
  double value = 0, digit = 1;
  for (; index > 0; index /= base) {
    digit /= static_cast<double>(base);
    value += digit * static_cast<double>(index % base);
  }
  return value;
}

double value_on(const Axis& axis, double part) {
  if (axis.is_logarithmic) return axis.from * std::pow(axis.to / axis.from, part);
  return axis.from + (axis.to - axis.from) * part;
}

/// Where to cut an axis so that one side holds and the other does not, as nearly as can be.
void look_for_threshold(std::vector<std::pair<double, bool>> values, std::size_t axis,
                        BoxShare& share) {
  std::sort(values.begin(), values.end());
  std::size_t holds_before = 0;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    holds_before += values[i].second ? 1 : 0;
    const std::size_t before = i + 1, fails_before = before - holds_before;
    const std::size_t fails = share.of - share.holds, holds_after = share.holds - holds_before;
    const std::size_t below = holds_before + (fails - fails_before);
    const std::size_t above = fails_before + holds_after;
    if (std::max(below, above) <= share.right) continue;
    share.right = std::max(below, above);
    share.axis = axis;
    share.holds_below = below >= above;
    share.threshold = (values[i].first + values[i + 1].first) / 2;
  }
}

}  // namespace

std::string FactorBox::text() const {
  std::string text;
  for (const Axis& axis : axes)
    text += (text.empty() ? "" : ", ") + axis.name + " " + number_text(axis.from, 2) + " to " +
            number_text(axis.to, 2);
  return text;
}

std::vector<double> FactorBox::point(std::size_t index) const {
  TERRACE_ASSERT(axes.size() <= kPrimes.size(), axes.size());
  std::vector<double> point;
  for (std::size_t i = 0; i < axes.size(); ++i)
    point.push_back(value_on(axes[i], mirrored(index + 1, kPrimes[i])));
  return point;
}

BoxShare share_of(const FactorBox& box, const std::function<bool(FactorPoint)>& holds,
                  std::size_t points) {
  BoxShare share;
  share.of = points;
  std::vector<std::vector<std::pair<double, bool>>> by_axis(box.axes.size());
  for (std::size_t i = 0; i < points; ++i) {
    const std::vector<double> point = box.point(i);
    const bool is_so = holds(point);
    share.holds += is_so ? 1 : 0;
    for (std::size_t axis = 0; axis < point.size(); ++axis)
      by_axis[axis].emplace_back(point[axis], is_so);
  }
  share.right = std::max(share.holds, share.of - share.holds);  // what one knows without an axis
  for (std::size_t axis = 0; axis < by_axis.size(); ++axis)
    look_for_threshold(std::move(by_axis[axis]), axis, share);
  return share;
}

Spread spread_of(const FactorBox& box, const std::function<double(FactorPoint)>& quantity,
                 std::size_t points) {
  std::vector<double> values;
  for (std::size_t i = 0; i < points; ++i) values.push_back(quantity(box.point(i)));
  std::sort(values.begin(), values.end());
  return {values.front(), values[values.size() / 2], values.back()};
}

}  // namespace terrace::papers
