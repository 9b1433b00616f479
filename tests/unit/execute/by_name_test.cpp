// SPDX-License-Identifier: BSD-3-Clause
// The algorithms that are there by name only, through the real executor: in a seeded interleaving,
// and on threads. Those with messages between nodes are played in over_nodes_test.cpp.
#include <gtest/gtest.h>

#include <set>

#include "machines/shapes.hpp"
#include "sequences.hpp"

namespace terrace {
namespace {

class ByName : public testing::TestWithParam<Rank> {};

TEST_P(ByName, calls_give_right_results_in_any_order) {
  const Rank ranks = GetParam();
  std::set<std::string_view> played;
  const auto all = shapes::hierarchies(ranks);
  for (std::size_t which = 0; which < all.size(); which += 3) {
    const sequences::Plans plans(all[which].hierarchy, 2, algorithms_by_name());
    for (const auto& row : plans.rows()) played.insert(row.algorithm->name);
    const auto script = sequences::script(plans, 300, which + 1, 200, sequences::kMoreScratchBytes);
    sequences::Team team(ranks, sequences::kMoreScratchBytes, script, 0);
    ASSERT_EQ(sequences::play_interleaved(team, which), "") << all[which].name;
  }
  EXPECT_EQ(played.size(), algorithms_by_name().size());
}

TEST_P(ByName, calls_give_right_results_on_threads) {
  const Rank ranks = GetParam();
  const auto all = shapes::hierarchies(ranks);
  for (std::size_t which = 1; which < all.size(); which += 7) {
    const sequences::Plans plans(all[which].hierarchy, 2, algorithms_by_name());
    const auto script = sequences::script(plans, 400, which, 200, sequences::kMoreScratchBytes);
    sequences::Team team(ranks, sequences::kMoreScratchBytes, script, 0);
    sequences::play_on_threads(team, which);
    for (const auto& player : team.players) EXPECT_EQ(player->complaint(), "") << all[which].name;
  }
}
INSTANTIATE_TEST_SUITE_P(Ranks, ByName, testing::Values(2, 3, 4, 6));

}  // namespace
}  // namespace terrace
