// SPDX-License-Identifier: BSD-3-Clause
// Flows against times worked out by hand.
#include "simulate/flows.hpp"

#include <gmock/gmock.h>

#include <random>

#include "unit/contracts.hpp"

namespace terrace::simulate {
namespace {

using testing::ElementsAre;

/// Plays what has been started to its end: (time, owner), in order.
std::vector<std::pair<double, std::uint32_t>> play(Flows& flows) {
  std::vector<std::pair<double, std::uint32_t>> ends;
  std::vector<std::uint32_t> owners;
  for (double end; (end = flows.next_end()) != Flows::kNever;) {
    owners.clear();
    flows.end(end, owners);
    for (const std::uint32_t owner : owners) ends.emplace_back(end, owner);
  }
  return ends;
}

TEST(Flows, one_alone_goes_at_its_own_pace) {
  Flows flows(1);
  flows.start(10, 7, 1000, 2, {{0, 0.1}});
  EXPECT_THAT(play(flows), ElementsAre(std::pair(510.0, 7u)));
  EXPECT_DOUBLE_EQ(flows.busy(0), 100);
}

TEST(Flows, two_that_share_a_link_get_half_each) {
  Flows flows(1);
  flows.start(0, 1, 1000, 4, {{0, 0.25}});  // the link takes 4 bytes a ns
  flows.start(0, 2, 1000, 4, {{0, 0.25}});
  EXPECT_THAT(play(flows), ElementsAre(std::pair(500.0, 1u), std::pair(500.0, 2u)));
  EXPECT_DOUBLE_EQ(flows.busy(0), 500);
}

TEST(Flows, who_is_left_goes_on_faster) {
  Flows flows(1);
  flows.start(0, 1, 1000, 4, {{0, 0.25}});
  flows.start(0, 2, 3000, 4, {{0, 0.25}});
  // Both at 2 bytes a ns up to 500 ns; then 2000 bytes at 4.
  EXPECT_THAT(play(flows), ElementsAre(std::pair(500.0, 1u), std::pair(1000.0, 2u)));
}

TEST(Flows, who_comes_later_slows_down_who_is_there) {
  Flows flows(1);
  flows.start(0, 1, 1000, 4, {{0, 0.25}});
  EXPECT_DOUBLE_EQ(flows.next_end(), 250);
  flows.start(100, 2, 1000, 4, {{0, 0.25}});
  // 400 bytes are moved, 600 left at 2 a ns; then 400 are left of the other at 4.
  const auto ends = play(flows);
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_NEAR(ends[0].first, 400, 1e-9);
  EXPECT_NEAR(ends[1].first, 500, 1e-9);
}

TEST(Flows, what_one_cannot_use_the_others_get) {
  Flows flows(2);
  flows.start(0, 1, 1000, 1, {{0, 0.1}});    // held up by itself: 1 byte a ns
  flows.start(0, 2, 9000, 100, {{0, 0.1}});  // the link gives 10, so 9 are left
  flows.start(0, 3, 500, 100, {{1, 2.0}});   // another place: half a byte a ns
  EXPECT_THAT(play(flows),
              ElementsAre(std::pair(1000.0, 1u), std::pair(1000.0, 2u), std::pair(1000.0, 3u)));
}

TEST(Flows, a_flow_through_two_places_is_held_up_by_the_tighter) {
  Flows flows(2);
  flows.start(0, 1, 1000, 100, {{0, 0.1}, {1, 0.5}});
  flows.start(0, 2, 8000, 100, {{0, 0.1}});
  EXPECT_THAT(play(flows), ElementsAre(std::pair(500.0, 1u), std::pair(900.0, 2u)));
}

/// Whatever comes when: all that is moved keeps places busy for just as long as it must, and no
/// place for longer than time goes on.
TEST(Flows, nothing_is_lost_and_nothing_is_faster_than_it_may) {
  std::mt19937 random(1);
  const auto below = [&random](int most) {
    return std::uniform_int_distribution(0, most - 1)(random);
  };
  for (int round = 0; round < 50; ++round) {
    Flows flows(4);
    std::array<double, 4> expected{};
    std::vector<std::pair<double, std::uint32_t>> ends;
    std::vector<std::uint32_t> owners;
    double now = 0;
    for (std::uint32_t owner = 0; owner < 40; ++owner) {
      const double bytes = 1000 + 500 * below(4);
      std::vector<ResourceShare> shares;
      for (std::uint32_t i = 0; i < 4; ++i)
        if (below(2) == 0) {
          shares.push_back({i, 0.1 * (1 + below(3))});
          expected[i] += bytes * shares.back().busy;
        }
      flows.start(now, owner, bytes, 1 + below(3), shares);
      const double next = flows.next_end();
      if (below(3) != 0) continue;
      owners.clear();
      flows.end(next, owners);
      EXPECT_FALSE(owners.empty());
      now = next;
      for (const std::uint32_t one : owners) ends.emplace_back(now, one);
    }
    for (const auto& end : play(flows)) ends.push_back(end);
    EXPECT_EQ(ends.size(), 40u);
    for (std::uint32_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(flows.busy(i), expected[i], 1e-6 * expected[i]);
      EXPECT_LE(flows.busy(i), ends.back().first * (1 + 1e-9));
    }
  }
}

TEST(Flows, go_forward_in_time) {
  Flows flows(1);
  flows.start(10, 0, 100, 1, {{0, 1}});
  EXPECT_BROKEN_IN_DEBUG_BUILDS(flows.start(9, 1, 100, 1, {{0, 1}}), "now >= time_");
  EXPECT_BROKEN_IN_DEBUG_BUILDS(flows.start(10, 1, 0, 1, {{0, 1}}), "bytes > 0 && cap > 0");
}

}  // namespace
}  // namespace terrace::simulate
