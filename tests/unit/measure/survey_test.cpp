// SPDX-License-Identifier: BSD-3-Clause
// Goals and methods:
// - Medians lie in their intervals, which follow from ranks alone: known values.
// - Two groups of values are told from one that is wide: values of both kinds.
// - A machine is measured until it is stopped: this one, for a moment; the times themselves cannot
//   be known.
#include "measure/survey.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <numeric>
#include <vector>

namespace terrace::measure {
namespace {

TEST(Summary, is_the_median_and_its_interval_by_ranks) {
  std::vector<double> values(100);
  std::iota(values.rbegin(), values.rend(), 1.0);
  const Summary all = summary_of(values);
  EXPECT_EQ(all.count, 100);
  EXPECT_NEAR(all.median, 50.5, 0.5);
  EXPECT_NEAR(all.low, 40, 1);  // numbers 40 and 61 of 100, as in tables
  EXPECT_NEAR(all.high, 61, 1);
  const Summary few = summary_of({3, 1, 2});
  EXPECT_EQ(few.low, 1);
  EXPECT_EQ(few.high, 3);
  EXPECT_EQ(summary_of(std::vector<double>()).count, 0);
}

TEST(Gap, is_between_two_groups) {
  std::vector<double> both(30, 50), wide;
  both.insert(both.end(), 20, 210);
  EXPECT_GT(gap_in(both), 50);
  EXPECT_LT(gap_in(both), 210);
  for (int i = 0; i < 50; ++i) wide.push_back(50 + 4 * i);
  EXPECT_EQ(gap_in(wide), 0);
  std::vector<double> with_outliers(95, 50);
  with_outliers.insert(with_outliers.end(), 5, 5000);
  EXPECT_EQ(gap_in(with_outliers), 0);
  EXPECT_EQ(gap_in({}), 0);
}

/// Two PUs that this process may use; fewer where there are not as many.
SurveyPlan plan_here() {
  SurveyPlan plan;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return plan;
  for (std::uint32_t pu = 0; pu < CPU_SETSIZE && plan.cores.size() < 2; ++pu)
    if (CPU_ISSET(pu, &set)) plan.cores.push_back({pu, {{{"node", 0}, {"core", pu}}}});
  plan.cache_bytes = {32768, 262144};
  plan.seconds = 0.1;
  return plan;
}

TEST(Survey, measures_this_machine) {
  const SurveyPlan plan = plan_here();
  if (plan.cores.size() < 2) GTEST_SKIP() << "needs 2 PUs";
  ASSERT_EQ(why_not_measurable(plan), "");
  const std::vector<Findings> all = survey(plan);
  ASSERT_FALSE(all.empty());
  const Findings& found = all.front();
  EXPECT_GT(found.core.clock.median, 0);
  EXPECT_LT(found.core.clock.median, 10) << "no processor has so many cycles per nanosecond";
  EXPECT_EQ(found.caches.size(), 2u);
  EXPECT_GT(found.memory.latency.median, 0);
  ASSERT_EQ(found.links.size(), 1u);
  EXPECT_EQ(found.links[0].level, "node");
  EXPECT_GT(found.links[0].signal.count, 0);
  for (const Summary& one :
       {found.links[0].signal, found.links[0].modified, found.memory.latency}) {
    EXPECT_LE(one.low, one.median);
    EXPECT_LE(one.median, one.high);
  }
  EXPECT_FALSE(found.links[0].copies.empty());
}

TEST(Survey, keeps_what_it_has_when_it_is_stopped) {
  SurveyPlan plan = plan_here();
  if (plan.cores.size() < 2) GTEST_SKIP() << "needs 2 PUs";
  const std::atomic<bool> is_stopped{true};
  plan.is_stopped = &is_stopped;
  const std::vector<Findings> all = survey(plan);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all.front().core.clock.count, 0);
  EXPECT_EQ(all.front().links.at(0).signal.count, 0);
}

TEST(Survey, says_what_it_cannot_see) {
  SurveyPlan plan = plan_here();
  plan.cores.resize(1);
  EXPECT_NE(why_not_measurable(plan).find("one core"), std::string::npos);
  plan.cores = {{100'000, {}}, {100'001, {}}};
  EXPECT_NE(why_not_measurable(plan).find("PU 100000"), std::string::npos);
}

}  // namespace
}  // namespace terrace::measure
