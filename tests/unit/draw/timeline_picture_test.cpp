// SPDX-License-Identifier: BSD-3-Clause
// Pictures of timelines show every event, who waited for whom, and what was left out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "draw/timeline.hpp"
#include "unit/draw/pictures.hpp"

namespace terrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Rank 1 comes 40 ns late to an allreduce; times begin somewhere.
Timeline late() {
  constexpr double t = 5e9;
  const auto nobody = std::nullopt;
  return {"a late rank",
          2,
          {},
          {{0, 0, t, t + 96, Activity::call, nobody, "", "allreduce of 8 B"},
           {0, 0, t + 10, t + 60, Activity::wait, 1, "l3", ""},
           {0, 0, t + 60, t + 80, Activity::reduce, 1, "l3", "out[0] = in[0] + in[1]"},
           {1, 0, t + 40, t + 90, Activity::call, nobody, "", "allreduce of 8 B"},
           {1, 0, t + 45, t + 82, Activity::wait, 0, "l3", ""}}};
}

TEST(TimelinePicture, is_a_line_of_letters_per_rank) {
  const std::string rank_0 =
      std::string(10, '#') + std::string(50, '.') + std::string(20, 'r') + std::string(16, '#');
  const std::string rank_1 = std::string(40, ' ') + std::string(5, '#') + std::string(37, '.') +
                             std::string(8, '#') + std::string(6, ' ');
  EXPECT_EQ(picture_text(late()),
            "a late rank: 96 ns\none character is 1 ns\n\nrank 0  |" + rank_0 + "|\nrank 1  |" +
                rank_1 +
                "|\n\n#  in a collective\n.  waits\nr  combines\n\n"
                "rank 0  works 20 ns, waits 50 ns, longest 50 ns for rank 1\n"
                "rank 1  works 0 ns, waits 37 ns, longest 37 ns for rank 0\n");
}

TEST(TimelinePicture, shows_started_calls_beside_what_their_rank_does) {
  Timeline timeline = late();
  const auto begin = timeline.events[0].begin_ns;
  timeline.events.push_back({0, kFirstTrack, begin + 5, begin + 50, Activity::started, {}, "", ""});
  timeline.events.push_back(
      {0, kFirstTrack + 1, begin + 20, begin + 60, Activity::started, {}, "", ""});
  const std::string text = picture_text(timeline);
  EXPECT_THAT(text, HasSubstr("rank 0, started    |     " + std::string(45, 's') + " "));
  EXPECT_THAT(
      text, HasSubstr("rank 0, started 2  |" + std::string(20, ' ') + std::string(40, 's') + " "));
  EXPECT_THAT(text, HasSubstr("s  has started a call"));
  EXPECT_THAT(text, Not(HasSubstr("started  works")));
  EXPECT_THAT(tooltips(svg_of(timeline), "rank"),
              ElementsAre("rank 0", "rank 0, started", "rank 0, started 2", "rank 1"));
}

TEST(TimelinePicture, draws_every_event_and_what_ended_each_wait) {
  const std::string svg = svg_of(late());
  EXPECT_TRUE(is_well_formed(svg)) << svg;
  EXPECT_THAT(tooltips(svg, "rank"), ElementsAre("rank 0", "rank 1"));
  EXPECT_EQ(tooltips(svg, "call").size(), 2u);
  EXPECT_EQ(tooltips(svg, "reduce").size(), 1u);
  EXPECT_THAT(tooltips(svg, "wait"),
              ElementsAre("rank 0 waits for rank 1 (l3)\n10 ns to 60 ns, 50 ns",
                          "rank 1 waits for rank 0 (l3)\n45 ns to 82 ns, 37 ns"));
  EXPECT_THAT(tooltips(svg, "cause"),
              ElementsAre("rank 0 has waited for rank 1", "rank 1 has waited for rank 0"));
}

TEST(TimelinePicture, shows_a_part_and_says_what_is_left_out) {
  TimelinePicture options;
  options.begin_ns = 60;
  options.end_ns = 70;
  const std::string part = svg_of(late(), options);
  EXPECT_EQ(tooltips(part, "wait").size(), 1u);
  EXPECT_THAT(part, HasSubstr("a late rank: 10 ns from 60 ns on"));
  EXPECT_THAT(part, Not(HasSubstr("Left out")));
  options = {};
  options.most_events = 4;
  options.most_ranks = 1;
  EXPECT_THAT(svg_of(late(), options), HasSubstr("Left out: the last 1 ranks."));
  options.most_ranks = 2;
  EXPECT_THAT(picture_text(late(), options), HasSubstr("Left out: the 1 shortest events"));
  EXPECT_EQ(tooltips(svg_of(late(), options), "reduce").size(), 0u);
}

TEST(TimelinePicture, of_nothing_has_its_ranks) {
  const std::string svg = svg_of(Timeline{"", 3, {}, {}});
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_EQ(tooltips(svg, "rank").size(), 3u);
  EXPECT_THAT(picture_text(Timeline{"", 1, {}, {}}), HasSubstr("rank 0  |"));
}

}  // namespace
}  // namespace terrace
