// SPDX-License-Identifier: BSD-3-Clause
// Goal: ranks run each class of nonblocking calls as rank 0 decided when it started the first one,
// however far apart they are: ranks of one process with one shared table, in orders that matter.
#include "preload/setup/lane_decisions.hpp"

#include <gtest/gtest.h>

#include <array>

#include "unit/contracts.hpp"

namespace terrace::preload {
namespace {

ClassOfCalls class_for(std::size_t bytes) {
  return {Collective::allreduce, bytes, Order::by_machine, false};
}

Choice choice_with(std::uint32_t radix) {
  Choice choice;
  choice.algorithm = algorithms()[3].name;
  choice.radix = radix;
  choice.ring = 1;
  choice.strip_bytes = kWhole;
  choice.streams_scratch = radix % 2 != 0;
  choice.scratch_span = 4096;
  return choice;
}

/// The decisions of one team, as both its ranks see them.
struct TwoRanks {
  std::array<SharedDecision, kMostLaneDecisions> shared{};
  LaneDecisions first{shared.data(), 0}, second{shared.data(), 1};

  std::shared_ptr<LaneDecision> by_rank_0(std::size_t bytes, std::optional<Choice> choice) {
    return first.for_calls(class_for(bytes), [&] { return choice; });
  }
  std::shared_ptr<LaneDecision> by_rank_1(std::size_t bytes) {
    return second.for_calls(class_for(bytes), []() -> std::optional<Choice> {
      ADD_FAILURE() << "rank 1 decides";
      return std::nullopt;
    });
  }
};

TEST(LaneDecisions, are_those_of_rank_0) {
  TwoRanks team;
  for (std::uint32_t radix = 2; radix < 10; ++radix)
    EXPECT_TRUE(team.by_rank_0(radix, choice_with(radix))->is_known);
  for (std::uint32_t radix = 2; radix < 10; ++radix) {
    const auto decision = team.by_rank_1(radix);
    ASSERT_TRUE(decision->is_known);
    EXPECT_EQ(decision->choice, choice_with(radix));
  }
}

TEST(LaneDecisions, are_awaited_by_ranks_that_come_first) {
  TwoRanks team;
  const auto early = team.by_rank_1(8);
  EXPECT_FALSE(early->is_known);
  EXPECT_FALSE(team.second.is_known(*early));
  EXPECT_EQ(early, team.by_rank_1(8)) << "a second call of the class";
  team.by_rank_0(8, std::nullopt);
  EXPECT_TRUE(team.second.is_known(*early));
  EXPECT_EQ(early->choice, std::nullopt);
}

/// A call that was started before all was forgotten keeps its decision, also where it is not run
/// before the next one is made.
TEST(LaneDecisions, are_made_anew_once_they_are_forgotten) {
  TwoRanks team;
  const auto old = team.by_rank_1(8);
  team.second.forget();
  const auto next = team.by_rank_1(8);
  team.by_rank_0(8, choice_with(2));
  team.first.forget();
  team.by_rank_0(8, choice_with(3));
  EXPECT_TRUE(team.second.is_known(*next));
  EXPECT_TRUE(team.second.is_known(*old));
  EXPECT_EQ(old->choice, choice_with(2));
  EXPECT_EQ(next->choice, choice_with(3));
}

TEST(LaneDecisions, beyond_the_last_place_are_each_lanes_own) {
  TwoRanks team;
  for (std::size_t i = 0; i < kMostLaneDecisions; ++i) team.by_rank_0(i, choice_with(2));
  EXPECT_TRUE(team.by_rank_0(5000, choice_with(2))->is_known);
  EXPECT_EQ(team.by_rank_0(5000, choice_with(2))->choice, std::nullopt);
  for (std::size_t i = 0; i < kMostLaneDecisions; ++i) team.by_rank_1(i);
  EXPECT_TRUE(team.by_rank_1(5000)->is_known);
  EXPECT_EQ(team.by_rank_1(5000)->choice, std::nullopt);
}

TEST(LaneDecisionsDeathTest, that_no_rank_can_have_written_are_refused) {
  TwoRanks team;
  team.by_rank_0(8, choice_with(2));
  team.shared[0].algorithm = 10000;
  EXPECT_BROKEN(team.by_rank_1(8), "shared.algorithm");
}

}  // namespace
}  // namespace terrace::preload
