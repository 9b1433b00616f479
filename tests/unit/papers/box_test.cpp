// SPDX-License-Identifier: BSD-3-Clause
// Boxes: that shares are those of volumes, and that the axis which decides is found.
#include "papers/box.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "papers/claim.hpp"

namespace terrace::papers {
namespace {

const FactorBox kSquare{{{"x", 0, 1, false}, {"y", 1, 100, true}}};

TEST(FactorBox, shares_are_volumes) {
  EXPECT_NEAR(share_of(kSquare, [](FactorPoint p) { return p[0] < 0.3; }).fraction(), 0.3, 0.01);
  EXPECT_NEAR(share_of(kSquare, [](FactorPoint p) { return p[1] < 10; }).fraction(), 0.5, 0.01);
  const BoxShare both = share_of(kSquare, [](FactorPoint p) { return p[0] < 0.5 && p[1] < 10; });
  EXPECT_NEAR(both.fraction(), 0.25, 0.01);
}

TEST(FactorBox, points_stay_inside_and_differ) {
  for (std::size_t i = 0; i < 100; ++i) {
    const auto point = kSquare.point(i);
    EXPECT_GT(point[0], 0);
    EXPECT_LT(point[0], 1);
    EXPECT_GT(point[1], 1);
    EXPECT_LT(point[1], 100);
    EXPECT_NE(point, kSquare.point(i + 1));
  }
}

TEST(FactorBox, the_axis_that_decides_is_found_with_its_threshold) {
  const BoxShare above = share_of(kSquare, [](FactorPoint p) { return p[1] > 25; });
  EXPECT_EQ(above.axis, 1u);
  EXPECT_FALSE(above.holds_below);
  EXPECT_EQ(above.right, above.of);
  EXPECT_NEAR(above.threshold, 25, 0.5);
  const BoxShare below = share_of(kSquare, [](FactorPoint p) { return p[0] < 0.6; });
  EXPECT_EQ(below.axis, 0u);
  EXPECT_TRUE(below.holds_below);
  EXPECT_NEAR(below.threshold, 0.6, 0.01);
}

TEST(FactorBox, a_shape_counts_from_nine_tenths_on) {
  const auto verdict = [](double edge) {
    return verdict_on(share_of(kSquare, [edge](FactorPoint p) { return p[0] < edge; }));
  };
  EXPECT_EQ(verdict(0.95), ClaimVerdict::holds_in_box);
  EXPECT_EQ(verdict(0.85), ClaimVerdict::not_reproduced);
}

TEST(FactorBox, a_spread_has_the_ends_and_the_middle) {
  const Spread spread = spread_of(kSquare, [](FactorPoint p) { return 10 * p[0]; });
  EXPECT_NEAR(spread.least, 0, 0.1);
  EXPECT_NEAR(spread.median, 5, 0.1);
  EXPECT_NEAR(spread.most, 10, 0.1);
}

TEST(Numbers, are_written_as_people_read_them) {
  EXPECT_EQ(number_text(306.66, 1), "306.7");
  EXPECT_EQ(percent_text(0.456), "46 %");
  EXPECT_EQ(percent_text(0.9999), "more than 99 %");
  EXPECT_EQ(percent_text(1), "100 %");
  EXPECT_EQ(percent_text(0.001), "less than 1 %");
  EXPECT_EQ(bytes_text(64), "64 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(768 * 1024), "768 KiB");
  EXPECT_EQ(bytes_text(INFINITY), "any size");
}

}  // namespace
}  // namespace terrace::papers
