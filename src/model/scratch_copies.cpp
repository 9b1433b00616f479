// SPDX-License-Identifier: BSD-3-Clause
// Interpolates, first over lengths along each measured span, then between two spans.
#include "model/scratch_copies.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>

namespace terrace::model {

namespace {

using Points = std::span<const ScratchCopy>;

PassageCost total_of(const ScratchCopy& point, double lines) {
  return {point.write * lines, point.read * lines};
}

PassageCost between(const PassageCost& low, const PassageCost& high, double share) {
  return {low.write + share * (high.write - low.write), low.read + share * (high.read - low.read)};
}

/// The binary logarithm of a ratio, linear between powers of two. (The libraries that run programs
/// depend on nothing but libc, which has no logarithms.)
double doublings(double ratio) {
  constexpr int kFraction = std::numeric_limits<double>::digits - 1;
  constexpr std::uint64_t kOne = std::uint64_t{1} << kFraction;
  // The exponent and the fraction of a positive number, read as one number in fixed point.
  const auto bits = std::bit_cast<std::uint64_t>(ratio) - std::bit_cast<std::uint64_t>(1.0);
  return static_cast<double>(static_cast<std::int64_t>(bits)) / static_cast<double>(kOne);
}

/// Points of one kind of stores, and within these of one span.
template <class Same>
Points first_run(Points points, Same same) {
  const auto end = std::find_if_not(points.begin(), points.end(), same);
  return points.first(static_cast<std::size_t>(end - points.begin()));
}

Points with_stores(Points points, bool streams) {
  const auto is_wanted = [streams](const ScratchCopy& one) { return one.streams == streams; };
  const auto begin = std::find_if(points.begin(), points.end(), is_wanted);
  if (begin == points.end()) return points;  // one kind only was measured
  return first_run(points.subspan(static_cast<std::size_t>(begin - points.begin())), is_wanted);
}

/// Along one span.
PassageCost along(Points points, const Distance& distance, double bytes, double line_bytes) {
  const double lines = std::max(1.0, bytes / line_bytes);
  ScratchCopy below{line_bytes, 0, false, distance.ownership, distance.modified};
  for (const ScratchCopy& point : points) {
    if (bytes <= point.bytes && point.bytes > below.bytes) {
      const double share = std::max(0.0, bytes - below.bytes) / (point.bytes - below.bytes);
      return between(total_of(below, below.bytes / line_bytes),
                     total_of(point, point.bytes / line_bytes), share);
    }
    below = point;
  }
  return total_of(below, lines);
}

}  // namespace

/// A line cannot come round before the value has been stored, so spans that are shorter are as long
/// as the value, and tell no more than the first of them.
PassageCost passage_cost(const Distance& distance, const Passage& passage, double line_bytes) {
  const double span = std::max(passage.span, passage.bytes);
  PassageCost below;
  double below_span = 0;
  for (Points rest = with_stores(distance.scratch, passage.streams); !rest.empty();) {
    const double measured = rest.front().span, here = std::max(measured, passage.bytes);
    const Points run =
        first_run(rest, [measured](const ScratchCopy& one) { return one.span == measured; });
    rest = rest.subspan(run.size());
    if (here <= below_span) continue;
    const PassageCost cost = along(run, distance, passage.bytes, line_bytes);
    if (span <= here)
      return below_span == 0 ? cost
                             : between(below, cost,
                                       doublings(span / below_span) / doublings(here / below_span));
    below = cost;
    below_span = here;
  }
  return below;
}

}  // namespace terrace::model
