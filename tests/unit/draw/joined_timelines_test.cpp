// SPDX-License-Identifier: BSD-3-Clause
// Timelines of ranks whose clocks differ become one.
#include "base/joined_timelines.hpp"

#include <gtest/gtest.h>

#include "base/timeline.hpp"
#include "draw/read_timeline.hpp"

namespace terrace {
namespace {

/// Of a rank with one wait, and what it knows of clocks.
std::string file_of(Rank rank, double begin_ns, const RankClock& clock) {
  const TimelineEvent wait{rank, 0, begin_ns, begin_ns + 50, Activity::wait, Rank{0}, "", ""};
  std::string json = to_json(Timeline{"one", 4, {}, {wait}});
  const std::string end = json_end();
  json.resize(json.size() - end.size());
  return json + ",\n" + to_json(clock) + end;
}

Timeline read(const std::string& json) {
  const auto timeline = timeline_from_json(json);
  EXPECT_TRUE(timeline) << (timeline ? "" : timeline.error().sentence);
  return timeline ? timeline.value() : Timeline{};
}

/// Ranks 0 and 1 share a clock; rank 2's is a thousand seconds behind it, as rank 1 knows; rank 3's
/// is 7 ns ahead of rank 2's, as it knows itself.
TEST(JoinedTimelines, are_by_rank_0s_clock) {
  const std::int64_t behind = 1'000'000'000'000;
  const auto all = join_timelines(
      "all", {file_of(0, 2e12, {0, "a", 0, 0}), file_of(1, 2e12 + 10.5, {1, "a", 2, -behind}),
              file_of(2, 1e12, {2, "b", 2, 0}), file_of(3, 1e12 + 107, {3, "c", 2, -7})});
  ASSERT_TRUE(all) << all.error().sentence;
  const Timeline timeline = read(all.value());
  EXPECT_EQ(timeline.title, "all");
  EXPECT_EQ(timeline.nodes, (std::vector<std::uint32_t>{0, 0, 1, 2}));
  const double begins[] = {2e12, 2e12 + 10.5, 2e12, 2e12 + 100};
  ASSERT_EQ(timeline.events.size(), 4u);
  for (const TimelineEvent& event : timeline.events) {
    EXPECT_NEAR(event.begin_ns, begins[event.rank], 0.3) << event.rank;
    EXPECT_NEAR(event.end_ns - event.begin_ns, 50, 0.3);
  }
}

TEST(JoinedTimelines, name_a_rank_whose_clock_is_not_known) {
  const auto all =
      join_timelines("all", {file_of(0, 5, {0, "a", 0, 0}), file_of(1, 5, {1, "b", 1, 0})});
  ASSERT_FALSE(all);
  EXPECT_NE(all.error().sentence.find("the clock of rank 1, which is on another node"),
            std::string::npos);
}

}  // namespace
}  // namespace terrace
