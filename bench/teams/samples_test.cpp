// SPDX-License-Identifier: BSD-3-Clause
// Statements are only as good as the arithmetic below them.
#include "samples.hpp"

#include <gtest/gtest.h>

#include "measure.hpp"

namespace terrace::bench {
namespace {

std::vector<double> heap(double centre, int count) {
  std::vector<double> probes;
  for (int i = 0; i < count; ++i) probes.push_back(centre * (1 + 0.01 * (i % 7)));
  return probes;
}

TEST(Samples, a_median_lies_between_the_ends_of_its_interval) {
  std::vector<double> values;
  for (int i = 100; i > 0; --i) values.push_back(i);
  const Median median = median_of(values);
  EXPECT_DOUBLE_EQ(median.value, 50.5);
  EXPECT_DOUBLE_EQ(median.low, 41);  // the 41st smallest: 50 - 0.98 * 10, rounded down, from 0
  EXPECT_DOUBLE_EQ(median.high, 61);
  EXPECT_EQ(median.count, 100u);
}

TEST(Samples, a_single_value_is_its_own_interval) {
  const Median median = median_of({3});
  EXPECT_DOUBLE_EQ(median.low, 3);
  EXPECT_DOUBLE_EQ(median.high, 3);
}

TEST(Samples, two_heaps_of_probes_are_two_regimes) {
  std::vector<double> probes = heap(55, 60);
  const std::vector<double> far = heap(250, 40);
  probes.insert(probes.end(), far.begin(), far.end());
  const Regimes regimes = find_regimes(probes);
  EXPECT_GT(regimes.threshold, 60);
  EXPECT_LT(regimes.threshold, 240);
  EXPECT_EQ(regimes.of({1, 56, 57, false}), "near");
  EXPECT_EQ(regimes.of({1, 251, 255, false}), "far");
  EXPECT_EQ(regimes.of({1, 56, 255, false}), "");
}

TEST(Samples, one_heap_is_one_regime_whatever_a_few_probes_say) {
  std::vector<double> probes = heap(120, 100);
  probes.push_back(900);
  const Regimes regimes = find_regimes(probes);
  EXPECT_DOUBLE_EQ(regimes.threshold, 0);
  EXPECT_EQ(regimes.of({1, 120, 900, false}), "single");
}

TEST(Samples, verdicts_follow_the_definition) {
  const auto ratio = [](double low) { return Median{low + 0.1, low, low + 0.2, 20}; };
  EXPECT_EQ(verdict(ratio(1.01), 2, 1), "faster");
  EXPECT_EQ(verdict(ratio(0.96), 2, 1), "not slower");
  EXPECT_EQ(verdict(ratio(0.90), 1.1, 1), "met at floor");
  EXPECT_EQ(verdict(ratio(0.90), 2, 1), "slower");
  EXPECT_EQ(verdict({1.5, 1.2, 1.8, 5}, 2, 1), "unknown");
}

Timing timing(const std::string& name, std::vector<double> us) {
  Timing result{name, name + ".plan", {}, 0};
  for (const double one : us) result.samples.push_back({one, 100, 100, false});
  return result;
}

TEST(Rows, pair_batches_of_one_round) {
  // Both slow down alike: the medians' ratio would also do, but not with the middle one dropped.
  Timing ours = timing("ours", {1, 2, 3});
  const Timing peer = timing("peer", {2, 4, 6});
  ours.samples[1].disturbed = true;
  const std::vector<Row> rows =
      rows_of({}, {ours, timing("floor", {4, 1, 1}), timing("quicker", {1, 1, 1}), peer}, 2);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_DOUBLE_EQ(rows[0].ratio.value, 2);
  EXPECT_EQ(rows[0].ratio.count, 2u);
  EXPECT_EQ(rows[0].dropped, 1u);
  EXPECT_EQ(rows[0].peer, "peer");
  EXPECT_DOUBLE_EQ(rows[0].floor_us, 1);
}

TEST(Rows, say_so_when_no_batch_was_clean) {
  Timing ours = timing("ours", {1});
  ours.samples[0].disturbed = true;
  const std::vector<Row> rows = rows_of({}, {ours}, 0);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].us.count, 0u);
  EXPECT_NE(to_json(rows[0]).find("\"us_median\": null"), std::string::npos);
}

}  // namespace
}  // namespace terrace::bench
