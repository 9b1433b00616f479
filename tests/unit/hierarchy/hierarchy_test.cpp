// SPDX-License-Identifier: BSD-3-Clause
// From localities to groups: hand-written trees, the papers' two examples, and properties that hold
// for every shape and for random localities.
#include "hierarchy/hierarchy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "machines/shapes.hpp"
#include "unit/contracts.hpp"

namespace terrace {
namespace {

using shapes::localities_from;

constexpr Rank kMostRanks = 17;

std::string text_for(std::initializer_list<const char*> texts) {
  return to_text(hierarchy_of(localities_from(texts)));
}

TEST(Hierarchy, collapses_levels_that_split_alike_and_names_the_deepest) {
  EXPECT_EQ(
      text_for({"node:0/package:0/numa:0/l3:0/core:0", "node:0/package:0/numa:0/l3:0/core:1",
                "node:0/package:1/numa:1/l3:1/core:2", "node:0/package:1/numa:1/l3:1/core:3"}),
      "node 0: 0-3\n"
      "  l3 0: 0-1\n"
      "    core 0: 0\n"
      "    core 1: 1\n"
      "  l3 1: 2-3\n"
      "    core 2: 2\n"
      "    core 3: 3\n");
}

TEST(Hierarchy, a_partition_into_single_cores_is_called_core) {
  EXPECT_EQ(text_for({"node:0/core:0/pu:0", "node:0/core:1/pu:2"}),
            "node 0: 0-1\n  core 0: 0\n  core 1: 1\n");
}

TEST(Hierarchy, ranks_on_the_pus_of_one_core_are_called_pu) {
  EXPECT_EQ(text_for({"node:0/core:0/pu:0", "node:0/core:0/pu:1", "node:0/core:1/pu:2"}),
            "node 0: 0-2\n  core 0: 0-1\n    pu 0: 0\n    pu 1: 1\n  core 1: 2\n");
}

TEST(Hierarchy, ranks_that_share_a_core_share_a_group_without_children) {
  EXPECT_EQ(text_for({"node:0/core:0/pu:0", "node:0/core:1/pu:1", "node:0/core:0/pu:0"}),
            "node 0: 0-2\n  core 0: 0 2\n  core 1: 1\n");
}

TEST(Hierarchy, a_rank_that_spans_several_children_is_a_group_of_its_own) {
  EXPECT_EQ(text_for({"node:0/l3:0", "node:0/l3:0/core:0", "node:0/l3:0/core:1", "node:0/l3:0"}),
            "l3 0: 0-3\n  l3 0: 0\n  core 0: 1\n  core 1: 2\n  l3 0: 3\n");
}

TEST(Hierarchy, ranks_that_all_stop_at_one_resource_are_not_split) {
  EXPECT_EQ(text_for({"node:0/l3:1", "node:0/l3:1", "node:0/l3:1"}), "l3 1: 0-2\n");
}

TEST(Hierarchy, nodes_without_a_known_switch_share_the_job) {
  EXPECT_EQ(text_for({"node:0", "node:1", "node:0"}), "job 0: 0-2\n  node 0: 0 2\n  node 1: 1\n");
}

TEST(Hierarchy, switches_are_levels_like_others) {
  EXPECT_EQ(text_for({"switch:0/node:0", "switch:0/node:1", "switch:1/node:2", "switch:1/node:3"}),
            "job 0: 0-3\n  switch 0: 0-1\n    node 0: 0\n    node 1: 1\n"
            "  switch 1: 2-3\n    node 2: 2\n    node 3: 3\n");
}

TEST(Hierarchy, nodes_may_have_different_levels) {
  EXPECT_EQ(
      text_for({"node:0/l3:0/core:0", "node:0/l3:1/core:4", "node:1/core:0", "node:1/core:1"}),
      "job 0: 0-3\n  node 0: 0-1\n    core 0: 0\n    core 4: 1\n"
      "  node 1: 2-3\n    core 0: 2\n    core 1: 3\n");
}

TEST(Hierarchy, children_are_ordered_by_leader_not_by_index) {
  EXPECT_EQ(text_for({"node:0/l3:1/core:3", "node:0/l3:0/core:0", "node:0/l3:1/core:2"}),
            "node 0: 0-2\n  l3 1: 0 2\n    core 3: 0\n    core 2: 2\n  core 0: 1\n");
}

TEST(Hierarchy, a_single_rank_is_one_group) {
  EXPECT_EQ(text_for({"node:0/package:0/core:3/pu:3"}), "core 3: 0\n");
  EXPECT_EQ(text_for({"node:0"}), "node 0: 0\n");
}

TEST(Hierarchy, knowing_nothing_gives_the_flat_hierarchy) {
  EXPECT_EQ(hierarchy_of(std::vector<Locality>(5)), flat_hierarchy(5));
  EXPECT_EQ(to_text(flat_hierarchy(5)), "job 0: 0-4\n");
  EXPECT_EQ(flat_hierarchy(5).rank_count(), 5u);
  EXPECT_EQ(hierarchy_of({}).rank_count(), 0u);
}

// ParCo'18, section 5.1: 2 NUMA nodes of one package of 4 cores, an L2 for each pair; 4 such nodes.
TEST(Hierarchy, gives_the_communicators_of_the_papers_simple_case) {
  const shapes::RegularMachine machine = {{"numa", 2}, {"package", 1}, {"l3", 1},
                                          {"l2", 2},   {"core", 2},    {"pu", 1}};
  std::vector<Locality> localities;
  for (std::uint32_t rank = 0; rank < 32; ++rank)
    localities.push_back(shapes::locality_on(machine, {rank % 8}, rank / 8));
  const Hierarchy hierarchy = hierarchy_of(localities);
  ASSERT_EQ(hierarchy.all.children.size(), 4u);
  const Group& node = hierarchy.all.children[3];
  EXPECT_EQ(node.level, "node");
  EXPECT_EQ(node.leader(), 24u);
  ASSERT_EQ(node.children.size(), 2u);
  EXPECT_EQ(node.children[1].level, "l3");
  EXPECT_EQ(node.children[1].ranks, (std::vector<Rank>{28, 29, 30, 31}));
  ASSERT_EQ(node.children[1].children.size(), 2u);
  EXPECT_EQ(node.children[1].children[0].level, "l2");
  EXPECT_EQ(node.children[1].children[0].ranks, (std::vector<Rank>{28, 29}));
  ASSERT_EQ(node.children[1].children[0].children.size(), 2u);
  EXPECT_EQ(node.children[1].children[0].children[1].level, "core");
}

// ParCo'18, section 5.2: the L3 of ranks bound to all of it is not split, the other one is.
TEST(Hierarchy, gives_the_communicators_of_the_papers_uneven_case) {
  for (const shapes::Shape& shape : shapes::shapes(8))
    if (shape.name == "bound unevenly, as in the paper") {
      EXPECT_EQ(to_text(hierarchy_of(shape.localities)),
                "node 0: 0-7\n"
                "  l3 0: 0-3\n"
                "    l2 0: 0-1\n"
                "      core 0: 0\n"
                "      core 1: 1\n"
                "    l2 1: 2-3\n"
                "  l3 1: 4-7\n");
    }
}

// ---- Properties -------------------------------------------------------------------------------

using Generator = std::mt19937_64;

std::uint32_t below(std::uint32_t limit, Generator& random) {
  return static_cast<std::uint32_t>(random() % limit);
}

/// Random localities: any depth, narrow enough that ranks meet, some nodes with other levels.
std::vector<Locality> random_localities(Generator& random) {
  static const std::vector<std::string> kLevels = {"node", "package", "numa", "l3",
                                                   "l2",   "core",    "pu"};
  const Rank rank_count = 1 + below(kMostRanks, random);
  const std::uint32_t width = 1 + below(3, random);
  std::vector<Locality> localities(rank_count);
  for (Locality& locality : localities) {
    std::uint64_t index = 0;
    const std::uint32_t depth = below(2, random) == 0 ? 7 : below(8, random);
    for (std::uint32_t i = 0; i < depth; ++i) {
      index = index * width + below(width, random);  // unique below the node, as places are
      locality.places.push_back({kLevels[i], index});
    }
  }
  return localities;
}

void expect_well_formed(const Group& group) {
  EXPECT_TRUE(std::is_sorted(group.ranks.begin(), group.ranks.end()));
  EXPECT_EQ(std::set<Rank>(group.ranks.begin(), group.ranks.end()).size(), group.ranks.size());
  EXPECT_NE(group.children.size(), 1u) << "a child must be a strict subset";
  if (group.children.empty()) return;
  std::vector<Rank> together;
  Rank last_leader = 0;
  for (std::size_t i = 0; i < group.children.size(); ++i) {
    const Group& child = group.children[i];
    ASSERT_FALSE(child.ranks.empty());
    EXPECT_LT(child.ranks.size(), group.ranks.size());
    EXPECT_TRUE(i == 0 || last_leader < child.leader()) << "children are ordered by leader";
    last_leader = child.leader();
    together.insert(together.end(), child.ranks.begin(), child.ranks.end());
    expect_well_formed(child);
  }
  std::sort(together.begin(), together.end());
  EXPECT_EQ(together, group.ranks) << "children partition their parent";
}

/// Each group's ranks share its resource, and ranks share a leaf only if nothing tells them apart.
void expect_faithful(const Group& group, const std::vector<Locality>& localities) {
  for (Rank rank : group.ranks) {
    const std::vector<LevelPlace>& places = localities[rank].places;
    const LevelPlace place{group.level, group.index};
    EXPECT_TRUE(group.level == kJobLevel ||
                std::find(places.begin(), places.end(), place) != places.end())
        << to_text(localities[rank]) << " is not in " << group.level << ' ' << group.index;
    if (group.children.empty()) {
      EXPECT_EQ(localities[rank], localities[group.leader()]);
    }
  }
  for (const Group& child : group.children) expect_faithful(child, localities);
}

void renumber(Group& group, const std::vector<Rank>& new_ranks) {
  for (Rank& rank : group.ranks) rank = new_ranks[rank];
  std::sort(group.ranks.begin(), group.ranks.end());
  for (Group& child : group.children) renumber(child, new_ranks);
  std::sort(group.children.begin(), group.children.end(),
            [](const Group& a, const Group& b) { return a.leader() < b.leader(); });
}

void expect_properties(const std::vector<Locality>& localities, Generator& random) {
  const Hierarchy hierarchy = hierarchy_of(localities);
  ASSERT_EQ(hierarchy.rank_count(), localities.size());
  expect_well_formed(hierarchy.all);
  expect_faithful(hierarchy.all, localities);

  std::vector<Rank> new_ranks(localities.size());
  std::iota(new_ranks.begin(), new_ranks.end(), Rank{0});
  std::shuffle(new_ranks.begin(), new_ranks.end(), random);
  std::vector<Locality> permuted(localities.size());
  for (Rank rank = 0; rank < localities.size(); ++rank)
    permuted[new_ranks[rank]] = localities[rank];
  Hierarchy renumbered = hierarchy;
  renumber(renumbered.all, new_ranks);
  EXPECT_EQ(hierarchy_of(permuted).all, renumbered.all)
      << "permuting the ranks permutes the groups";

  const std::size_t member_count = 1 + random() % localities.size();
  const std::vector<Rank> members(new_ranks.begin(),
                                  new_ranks.begin() + static_cast<std::ptrdiff_t>(member_count));
  std::vector<Locality> left;
  for (Rank member : members) left.push_back(localities[member]);
  EXPECT_EQ(restrict_to(hierarchy, members), hierarchy_of(left))
      << to_text(restrict_to(hierarchy, members)) << "but their localities give\n"
      << to_text(hierarchy_of(left));
}

TEST(Hierarchy, properties_hold_for_every_shape) {
  Generator random(1);
  for (Rank rank_count = 1; rank_count <= kMostRanks; ++rank_count)
    for (const shapes::Shape& shape : shapes::shapes(rank_count)) {
      SCOPED_TRACE(shape.name + ", ranks " + std::to_string(rank_count));
      for (int repetition = 0; repetition < 5; ++repetition)
        expect_properties(shape.localities, random);
    }
}

TEST(Hierarchy, properties_hold_for_random_localities) {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Generator random(seed);
    const std::vector<Locality> localities = random_localities(random);
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_properties(localities, random);
    if (HasFailure()) break;
  }
}

TEST(Hierarchy, restricting_to_all_ranks_in_order_changes_nothing) {
  for (const shapes::NamedHierarchy& shape : shapes::hierarchies(13)) {
    std::vector<Rank> all(13);
    std::iota(all.begin(), all.end(), Rank{0});
    EXPECT_EQ(restrict_to(shape.hierarchy, all), shape.hierarchy) << shape.name;
  }
}

TEST(Hierarchy, says_on_which_node_each_rank_is) {
  using Nodes = std::vector<std::uint32_t>;
  const Hierarchy three =
      hierarchy_of(localities_from({"switch:0/node:7/package:0", "switch:1/node:2/package:0/core:1",
                                    "switch:0/node:7/package:0/core:2", "switch:1/node:3"}));
  EXPECT_EQ(three.nodes, Nodes({0, 1, 0, 2}));
  EXPECT_EQ(restrict_to(three, std::vector<Rank>{3, 0, 2}).nodes, Nodes({0, 1, 1}));
  EXPECT_EQ(restrict_to(three, std::vector<Rank>{2, 0}).nodes, Nodes());
  EXPECT_EQ(hierarchy_of(localities_from({"node:1/core:0", "node:1/core:1"})).nodes, Nodes());
  EXPECT_EQ(hierarchy_of(std::vector<Locality>(3)).nodes, Nodes());
  EXPECT_EQ(flat_hierarchy(3).nodes, Nodes());
}

TEST(Hierarchy, restricting_to_one_child_gives_that_child) {
  const Hierarchy whole = hierarchy_of(localities_from(
      {"node:0/l3:0/core:0", "node:0/l3:0/core:1", "node:0/l3:1/core:2", "node:0/l3:1/core:3"}));
  EXPECT_EQ(to_text(restrict_to(whole, std::vector<Rank>{3, 2})),
            "l3 1: 0-1\n  core 3: 0\n  core 2: 1\n");
}

TEST(Hierarchy, restricting_keeps_levels_of_one_name_apart) {
  const std::vector<Locality> localities =
      localities_from({"switch:0/switch:0/node:0", "switch:0/switch:0/node:1", "switch:0/node:2",
                       "switch:1/switch:2/node:3"});
  const std::vector<Rank> members = {0, 1};
  const auto left = std::span(localities).first(2);
  EXPECT_EQ(restrict_to(hierarchy_of(localities), members), hierarchy_of(left));
}

TEST(Hierarchy, has_groups_of_one_depth_alone) {
  const Hierarchy whole = hierarchy_of(
      localities_from({"package:0/l3:0/core:0", "package:0/l3:0/core:1", "package:0/l3:1/core:2",
                       "package:0/l3:1/core:3", "package:1/l3:2/core:4", "package:1/l3:2/core:5"}));
  EXPECT_EQ(depth_of(whole), 3u);
  EXPECT_EQ(with_one_depth(whole, 0), whole);
  EXPECT_EQ(to_text(with_one_depth(whole, 1)), "job 0: 0-5\n  package 0: 0-3\n  l3 2: 4-5\n");
  EXPECT_EQ(to_text(with_one_depth(whole, 2)),
            "job 0: 0-5\n  l3 0: 0-1\n  l3 1: 2-3\n  core 4: 4\n  core 5: 5\n");
  EXPECT_EQ(with_one_depth(whole, 3), with_one_depth(whole, 9));
  EXPECT_EQ(depth_of(flat_hierarchy(4)), 0u);
  EXPECT_EQ(with_one_depth(flat_hierarchy(4), 2), flat_hierarchy(4));
}

// The shapes are what other rooms test with: they must be many, and not all the same tree.
TEST(Shapes, differ_and_stay_the_same) {
  for (Rank rank_count = 1; rank_count <= kMostRanks; ++rank_count) {
    const std::vector<shapes::NamedHierarchy> first = shapes::hierarchies(rank_count);
    const std::vector<shapes::NamedHierarchy> second = shapes::hierarchies(rank_count);
    EXPECT_GE(first.size(), 12u);
    ASSERT_EQ(first.size(), second.size());
    std::set<std::string> names, trees;
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(first[i].hierarchy, second[i].hierarchy);
      EXPECT_EQ(first[i].hierarchy.rank_count(), rank_count);
      names.insert(first[i].name);
      trees.insert(to_text(first[i].hierarchy));
    }
    EXPECT_EQ(names.size(), first.size());
    if (rank_count >= 8) {
      EXPECT_GE(trees.size(), 20u) << "ranks " << rank_count;
    }
  }
}

TEST(Hierarchy, of_some_ranks_has_each_of_them_once) {
  const std::vector<Rank> twice = {0, 0}, beyond = {4};
  EXPECT_BROKEN_IN_DEBUG_BUILDS(restrict_to(flat_hierarchy(4), twice), "members.size\\(\\)");
  EXPECT_BROKEN_IN_DEBUG_BUILDS(restrict_to(flat_hierarchy(4), beyond), "rank < whole.rank_count");
}

}  // namespace
}  // namespace terrace
