// SPDX-License-Identifier: BSD-3-Clause
// The hierarchy level by level, and the sentences on it.
#include "communicators/layers.hpp"

#include <gtest/gtest.h>

#include "machines/shapes.hpp"

namespace terrace::communicators {
namespace {

using shapes::localities_from;

/// Two ranks on cores of one L3, one bound to that L3 itself, one alone on another, one unbound.
std::vector<Locality> mixed() {
  return localities_from({"node:0/l3:0/core:0", "node:0/l3:0/core:1", "node:0/l3:0",
                          "node:0/l3:1/core:4", "node:0", "node:1/l3:0/core:0"});
}

std::string reason(const std::vector<Locality>& localities, Rank rank,
                   std::optional<std::size_t> level = std::nullopt) {
  return why(hierarchy_of(localities), localities, rank, level);
}

TEST(Layers, have_the_groups_of_all_parents_and_the_roots_of_each) {
  const auto localities = mixed();
  const Hierarchy hierarchy = hierarchy_of(localities);
  const std::vector<Layer> layers = layers_of(hierarchy);
  ASSERT_EQ(layers.size(), 3u);
  EXPECT_EQ(layers[0].type(), "Machine, Core");
  EXPECT_EQ(layers[1].type(), "L3Cache, Core");
  EXPECT_EQ(layers[2].type(), "Core");
  EXPECT_EQ(layers[0].roots, (std::vector<std::vector<Rank>>{{0, 5}}));
  EXPECT_EQ(layers[1].roots, (std::vector<std::vector<Rank>>{{0, 3}}));
  EXPECT_EQ(layers[2].roots, (std::vector<std::vector<Rank>>{{0, 1}}));
  ASSERT_EQ(layers[1].groups.size(), 2u);
  EXPECT_EQ(layers[1].groups[0]->ranks, (std::vector<Rank>{0, 1, 2}));
}

TEST(Layers, of_several_parents_have_roots_for_each) {
  const auto localities = localities_from(
      {"node:0/core:0", "node:1/core:0", "node:1/core:1", "node:0/core:1", "node:2/core:0"});
  const Hierarchy hierarchy = hierarchy_of(localities);
  const std::vector<Layer> layers = layers_of(hierarchy);
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(layers[1].roots, (std::vector<std::vector<Rank>>{{0, 3}, {1, 2}}));
}

TEST(Layers, of_what_cannot_be_divided_are_none) {
  EXPECT_TRUE(layers_of(hierarchy_of(localities_from({"node:0", "node:0"}))).empty());
  EXPECT_TRUE(layers_of(hierarchy_of(localities_from({"node:0/core:1"}))).empty());
}

TEST(Why, a_rank_is_alone) {
  EXPECT_EQ(reason(mixed(), 3),
            "rank 3 is alone at level 2 (Core): of the ranks 0-4, which share Machine 0, no other "
            "lies in Core 4");
  EXPECT_EQ(reason(mixed(), 5),
            "rank 5 is alone at level 1 (Core): of the ranks 0-5, which share System - Cluster, no "
            "other lies in Core 0 of Machine 1");
}

TEST(Why, a_rank_is_with_others) {
  EXPECT_EQ(reason(mixed(), 1, 2),
            "rank 1 is with 0 2 at level 2 (L3Cache): of all ranks that share Machine 0, these lie "
            "in L3Cache 0");
}

TEST(Why, a_rank_is_in_no_group) {
  EXPECT_EQ(reason(mixed(), 2),
            "rank 2 is in no group of level 3: its binding reaches beyond each of the parts that "
            "divide L3Cache 0 for the others");
  EXPECT_EQ(reason(mixed(), 4),
            "rank 4 is in no group of level 2: it is not bound, so it may run anywhere on "
            "Machine 0");
  EXPECT_EQ(reason(mixed(), 3, 3),
            "rank 3 is in no group of level 3: it is alone in Core 4, and one rank cannot be "
            "divided");
  EXPECT_EQ(reason(localities_from({"node:0/core:3", "node:0/core:3"}), 1),
            "rank 1 is in no group of level 1: the ranks 0-1 are all bound to Core 3, so nothing "
            "divides them");
}

TEST(Why, a_split_makes_nothing) {
  const auto unbound = localities_from({"node:0", "node:0"});
  const auto same = localities_from({"node:0/l3:1", "node:0/l3:1"});
  EXPECT_EQ(why_undivided(unbound, {}),
            "all ranks are on one node and not bound, so each may run anywhere on it (mpirun "
            "--bind-to core binds)");
  EXPECT_EQ(why_undivided(same, {}), "all ranks are bound to L3Cache 1, so nothing divides them");
  EXPECT_EQ(why_undivided(same, {Scope::whole, "l3"}),
            "all ranks are in the same L3Cache, which is no strict subset");
  EXPECT_EQ(why_undivided(same, {Scope::whole, "core"}),
            "no rank is bound within one Core that is known");
  EXPECT_EQ(why_undivided(same, {Scope::network, ""}), "all ranks are on one node");
  EXPECT_EQ(why_undivided(localities_from({"node:0"}), {}),
            "there is one rank, which cannot be divided");
}

}  // namespace
}  // namespace terrace::communicators
