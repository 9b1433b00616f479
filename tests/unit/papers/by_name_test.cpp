// SPDX-License-Identifier: BSD-3-Clause
// The papers' own algorithms: what counts as their order, and that both clocks tell them apart.
#include "papers/by_name.hpp"

#include <gtest/gtest.h>

namespace terrace::papers {
namespace {

PlayStage magny_cours_stage() {
  auto stage = stage_of(magny_cours(), TERRACE_SOURCE_DIR "/machines/magny-cours-6100.json");
  EXPECT_TRUE(stage.ok());
  return std::move(stage).value();
}

TEST(ByName, tiles_are_in_order_if_they_are_at_every_length) {
  EXPECT_TRUE(tiles_are_ordered({{10, 9, 3}, {100, 100, 50}}));
  EXPECT_FALSE(tiles_are_ordered({{10, 9, 3}, {100, 101, 50}}));  // cyclic slower
  EXPECT_FALSE(tiles_are_ordered({{10, 9, 3}, {100, 90, 91}}));   // hierarchical slower
  EXPECT_FALSE(tiles_are_ordered({{10, 5, 4}}));                  // cyclic gains more
}

TEST(ByName, dissemination_is_worst_if_it_loses_to_the_tree_and_crosses_tiles) {
  EXPECT_TRUE(dissemination_loses({{1, 3, 2}, {9, 5, 10}}));
  EXPECT_FALSE(dissemination_loses({{1, 3, 0.5}, {9, 5, 10}}));  // faster than the tree
  EXPECT_FALSE(dissemination_loses({{1, 1.5, 2}, {9, 5, 10}}));  // slower than tiles from the start
  EXPECT_FALSE(dissemination_loses({{1, 3, 2}, {9, 11, 10}}));   // faster than tiles to the end
}

/// Both clocks know of links; the cost shares them by order of arrival, so it differs.
TEST(ByName, tiles_of_all_sockets_mind_slow_links) {
  const PlayStage stage = magny_cours_stage();
  const PlayedTime naive = played(stage, "reduce.tiled_naive");
  const auto time = [&](ModelClock clock, double B_of_links) {
    const std::vector<double> point = {8, 2, 0.5, B_of_links, 50, 120, 4};
    return time_by(clock, machine_at(stage, point), stage, naive, 768 * 1024);
  };
  for (const ModelClock clock : {ModelClock::simulated, ModelClock::costed})
    EXPECT_GT(time(clock, 1), 1.2 * time(clock, 0.2)) << name_of(clock);
  EXPECT_NE(time(ModelClock::simulated, 1), time(ModelClock::costed, 1));
}

}  // namespace
}  // namespace terrace::papers
