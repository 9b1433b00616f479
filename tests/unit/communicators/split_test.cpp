// SPDX-License-Identifier: BSD-3-Clause
// How ranks divide: by hand, and what must hold for any machine, binding and order of ranks. (The
// papers' examples are in papers_test.cpp, and run under MPIs as tests/mpi/communicators.c.)
#include "communicators/split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>

#include "machines/shapes.hpp"
#include "unit/seeds.hpp"

namespace terrace::communicators {
namespace {

using shapes::localities_from;

std::string to_text(const std::vector<Child>& children) {
  std::string text;
  for (const Child& child : children) {
    text += child.level + ':';
    for (const Rank rank : child.ranks) text += ' ' + std::to_string(rank);
    text += '\n';
  }
  return text;
}

std::string split_text(std::initializer_list<const char*> texts, const SplitRequest& request = {}) {
  return to_text(split(localities_from(texts), request));
}

TEST(Split, leaves_out_ranks_that_may_run_on_several_parts) {
  EXPECT_EQ(split_text({"node:0/l3:0/core:0", "node:0/l3:0", "node:0/l3:0/core:1"}),
            "core: 0\ncore: 2\n");
}

TEST(Split, of_ranks_that_are_not_bound_stops_at_the_node) {
  EXPECT_EQ(split_text({"node:0", "node:1", "node:0"}), "node: 0 2\nnode: 1\n");
  EXPECT_EQ(split_text({"node:0", "node:0"}), "");
}

TEST(Split, of_one_rank_is_nothing) {
  EXPECT_EQ(split_text({"node:0/core:0"}), "");
}

TEST(Split, of_ranks_on_one_core_is_nothing) {
  EXPECT_EQ(split_text({"node:0/core:0/pu:0", "node:0/core:0/pu:0"}), "");
}

TEST(Split, to_a_named_level_skips_those_between) {
  const auto texts = {"node:0/package:0/l3:0/core:0", "node:0/package:0/l3:1/core:1",
                      "node:0/package:1/l3:2/core:2", "node:1/package:0/l3:0/core:0"};
  EXPECT_EQ(split_text(texts, {Scope::whole, "l3"}), "l3: 0\nl3: 1\nl3: 2\nl3: 3\n");
  EXPECT_EQ(split_text(texts, {Scope::whole, "package"}), "package: 0 1\npackage: 2\npackage: 3\n");
  EXPECT_EQ(split_text(texts, {Scope::whole, "node"}), "node: 0 1 2\nnode: 3\n");
  EXPECT_EQ(split_text(texts, {Scope::whole, "die"}), "");
}

TEST(Split, by_a_dimension_of_a_torus_takes_who_has_the_same_coordinate) {
  const std::vector<Locality> localities =
      localities_from({"torus:0/slice1:1/node:0", "torus:0/slice1:2/node:1/core:0",
                       "torus:0/slice1:1/node:2", "torus:5/slice1:6/node:3", "node:4"});
  const std::vector<std::uint64_t> coordinates = {1, 1, 2, 1, 0};
  const auto text = [&](const SplitRequest& request) {
    return to_text(split(localities, request, coordinates));
  };
  EXPECT_EQ(text({Scope::whole, "torus_dimension:2"}),
            "torus_dimension:2: 0 1\ntorus_dimension:2: 2\ntorus_dimension:2: 3\n");
  EXPECT_EQ(text({Scope::node, "torus_dimension:2"}), "");
  for (const char* none : {"torus_dimension:0", "torus_dimension:", "torus_dimension:1x"})
    EXPECT_EQ(text({Scope::whole, none}), "") << none;
  const std::vector<std::uint64_t> alike = {3, 3};
  EXPECT_TRUE(split(localities_from({"torus:0/node:0", "torus:0/node:1"}),
                    {Scope::whole, "torus_dimension:2"}, alike)
                  .empty());
}

TEST(Split, to_a_named_level_finds_it_where_levels_collapse) {
  EXPECT_EQ(split_text({"node:0/package:0/l3:0/core:0", "node:0/package:1/l3:1/core:1"},
                       {Scope::whole, "package"}),
            "package: 0\npackage: 1\n");
}

TEST(Split, to_a_named_level_leaves_out_ranks_that_are_bound_above_it) {
  EXPECT_EQ(split_text({"node:0/l3:0/core:0", "node:0", "node:0/l3:0"}, {Scope::whole, "l3"}),
            "l3: 0 2\n");
}

TEST(Split, to_a_level_that_all_share_is_no_strict_subset) {
  EXPECT_EQ(split_text({"node:0/l3:0/core:0", "node:0/l3:0/core:1"}, {Scope::whole, "l3"}), "");
}

TEST(Split, may_be_limited_to_the_network_or_to_nodes) {
  const auto texts = {"switch:0/node:0/core:0", "switch:0/node:0/core:1", "switch:0/node:1/core:0",
                      "switch:1/node:2/core:0"};
  EXPECT_EQ(split_text(texts), "switch: 0 1 2\ncore: 3\n");
  EXPECT_EQ(split_text(texts, {Scope::network, ""}), "switch: 0 1 2\nnode: 3\n");
  EXPECT_EQ(split_text(texts, {Scope::node, ""}), "node: 0 1\ncore: 2\ncore: 3\n");
  EXPECT_EQ(split_text({"switch:0/node:0/core:0", "switch:0/node:0/core:1"}, {Scope::network, ""}),
            "");
  EXPECT_EQ(split_text(texts, {Scope::network, "core"}), "");
}

TEST(Split, tells_levels_of_one_name_apart) {
  EXPECT_EQ(split_text({"switch:0/switch:0/node:0", "switch:0/switch:0/node:1",
                        "switch:0/switch:1/node:2", "switch:0/switch:1/node:3"}),
            "switch: 0 1\nswitch: 2 3\n");
}

TEST(Ways, number_the_groups_of_a_level) {
  const Hierarchy hierarchy = hierarchy_of(localities_from(
      {"node:0/l3:0/core:0", "node:0/l3:0/core:1", "node:0/l3:0/core:2", "node:0/l3:1/core:3"}));
  const std::vector<SplitStep> way = way_to(hierarchy, 2);
  ASSERT_EQ(way.size(), 2u);
  EXPECT_EQ(way[0].index, 0);
  EXPECT_EQ(way[0].siblings, 2);
  EXPECT_EQ(way[1].index, 2);
  EXPECT_EQ(way[1].siblings, 3);
  EXPECT_EQ(way[1].group->level, "core");
}

TEST(Ways, do_not_count_ranks_that_stop) {
  const Hierarchy hierarchy = hierarchy_of(
      localities_from({"node:0/l3:0", "node:0/l3:0/core:0", "node:0/l3:0/core:1", "node:1"}));
  EXPECT_EQ(way_to(hierarchy, 0).size(), 1u);
  EXPECT_EQ(way_to(hierarchy, 1).back().siblings, 2);
  EXPECT_EQ(way_to(hierarchy, 1).back().index, 0);
}

TEST(Distance, counts_levels_from_the_bottom) {
  const Hierarchy hierarchy = hierarchy_of(localities_from(
      {"node:0/l3:0/core:0", "node:0/l3:0/core:1", "node:0/l3:1/core:2", "node:1/l3:0/core:0"}));
  EXPECT_EQ(distance(hierarchy, 0, 0), 0);
  EXPECT_EQ(distance(hierarchy, 0, 1), 1);
  EXPECT_EQ(distance(hierarchy, 0, 2), 2);
  EXPECT_EQ(distance(hierarchy, 0, 3), 3);
}

TEST(SharedLevel, is_the_innermost_that_all_have) {
  const std::vector<Locality> localities = localities_from(
      {"node:0/l3:0/core:0/pu:0", "node:0/l3:0/core:1/pu:1", "node:0/l3:1/core:2/pu:2", "node:1"});
  const auto shared = [&](std::vector<Rank> ranks) { return shared_level(localities, ranks); };
  EXPECT_EQ(shared({0, 1}), "l3");
  EXPECT_EQ(shared({1, 2}), "node");
  EXPECT_EQ(shared({0, 3}), kJobLevel);
  EXPECT_EQ(shared({0}), "core");
  EXPECT_EQ(shared({3}), "node");
}

/// Ranks on a random machine with a random network, some of them bound to more than a core.
class RandomJob {
 public:
  explicit RandomJob(std::uint32_t seed) : random_(seed) {
    const Rank ranks = 1 + below(24);
    const std::vector<const char*> levels = {"switch", "switch", "node", "package", "numa",
                                             "l3",     "l2",     "core", "pu"};
    for (const char* level : levels) {
      const bool is_there = std::string(level) == "node" || below(3) > 0;
      if (is_there) levels_.push_back({level, 1 + below(3)});
    }
    for (Rank rank = 0; rank < ranks; ++rank) localities.push_back(random_locality());
  }

  std::vector<Locality> localities;

  std::uint32_t below(std::uint32_t end) {
    return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random_);
  }
  std::mt19937& random() { return random_; }

 private:
  struct Level {
    const char* name;
    std::uint32_t count;
  };

  /// A path of random choices, of random length, but at least as far as the node.
  Locality random_locality() {
    Locality locality;
    std::uint64_t index = 0;
    bool is_past_node = false;
    for (const Level& level : levels_) {
      if (is_past_node && below(6) == 0) break;
      index = index * level.count + below(level.count);
      locality.places.push_back({level.name, index});
      is_past_node = is_past_node || std::string(level.name) == "node";
    }
    return locality;
  }

  std::mt19937 random_;
  std::vector<Level> levels_;
};

std::vector<Locality> of_ranks(const std::vector<Locality>& all, const std::vector<Rank>& ranks) {
  std::vector<Locality> result;
  for (const Rank rank : ranks) result.push_back(all[rank]);
  return result;
}

std::size_t shared_places(const std::vector<Locality>& localities) {
  std::size_t shared = localities[0].places.size();
  for (const Locality& locality : localities) {
    const auto [end, theirs] =
        std::mismatch(locality.places.begin(), locality.places.end(), localities[0].places.begin(),
                      localities[0].places.end());
    shared = std::min(shared, static_cast<std::size_t>(end - locality.places.begin()));
  }
  return shared;
}

/// Disjoint, strict, ordered; and a rank is left out just if it is bound to all that the ranks
/// share.
void expect_right(const std::vector<Locality>& localities, const std::vector<Child>& children) {
  std::vector<int> taken(localities.size());
  for (std::size_t i = 0; i < children.size(); ++i) {
    EXPECT_LT(children[i].ranks.size(), localities.size());
    EXPECT_TRUE(std::is_sorted(children[i].ranks.begin(), children[i].ranks.end()));
    if (i > 0) {
      EXPECT_LT(children[i - 1].ranks.front(), children[i].ranks.front());
    }
    for (const Rank rank : children[i].ranks) ++taken[rank];
  }
  const std::size_t shared = shared_places(localities);
  for (std::size_t rank = 0; rank < localities.size(); ++rank) {
    const bool is_divided = localities.size() > 1 && localities[rank].places.size() > shared;
    EXPECT_EQ(taken[rank], is_divided ? 1 : 0) << "rank " << rank;
  }
}

/// Splits as a program does, one level after the other, and returns how deep a rank came.
std::size_t descend(const std::vector<Locality>& all, Rank rank,
                    const std::function<void(const std::vector<Rank>&, const Child&)>& see) {
  std::vector<Rank> members(all.size());
  std::iota(members.begin(), members.end(), Rank{0});
  for (std::size_t depth = 0;; ++depth) {
    const std::vector<Locality> localities = of_ranks(all, members);
    const std::vector<Child> children = split(localities, {});
    expect_right(localities, children);
    const auto own =
        static_cast<Rank>(std::find(members.begin(), members.end(), rank) - members.begin());
    const auto child = std::find_if(children.begin(), children.end(), [&](const Child& one) {
      return std::binary_search(one.ranks.begin(), one.ranks.end(), own);
    });
    if (child == children.end()) return depth;
    std::vector<Rank> next;
    for (const Rank one : child->ranks) next.push_back(members[one]);
    see(next, *child);
    members = std::move(next);
  }
}

const std::uint32_t kSeeds = 300 * static_cast<std::uint32_t>(sweep_factor());

TEST(Properties, splitting_step_by_step_is_right_and_ends_where_the_hierarchy_does) {
  for (std::uint32_t seed = 0; seed < kSeeds && !HasFailure(); ++seed) {
    const RandomJob job(seed);
    const Hierarchy hierarchy = hierarchy_of(job.localities);
    for (Rank rank = 0; rank < job.localities.size(); ++rank) {
      const std::vector<SplitStep> way = way_to(hierarchy, rank);
      std::size_t step = 0;
      const std::size_t depth =
          descend(job.localities, rank, [&](const std::vector<Rank>& ranks, const Child& child) {
            ASSERT_LT(step, way.size());
            EXPECT_EQ(way[step].group->ranks, ranks) << "seed " << seed;
            EXPECT_EQ(way[step].group->level, child.level) << "seed " << seed;
            ++step;
          });
      EXPECT_EQ(depth, way.size());
      EXPECT_LE(depth, job.localities[rank].places.size());
    }
  }
}

/// Groups as sets of the ranks' old numbers.
std::vector<std::vector<Rank>> renamed(const std::vector<Child>& children,
                                       const std::vector<Rank>& old_number) {
  std::vector<std::vector<Rank>> sets;
  for (const Child& child : children) {
    sets.emplace_back();
    for (const Rank rank : child.ranks) sets.back().push_back(old_number[rank]);
    std::sort(sets.back().begin(), sets.back().end());
  }
  std::sort(sets.begin(), sets.end());
  return sets;
}

TEST(Properties, groups_do_not_depend_on_the_order_of_ranks) {
  for (std::uint32_t seed = 0; seed < kSeeds && !HasFailure(); ++seed) {
    RandomJob job(seed);
    std::vector<Rank> order(job.localities.size());
    std::iota(order.begin(), order.end(), Rank{0});
    const std::vector<Rank> same = order;
    std::shuffle(order.begin(), order.end(), job.random());
    for (const char* level : {"", "node", "l3", "core"}) {
      const SplitRequest request = {static_cast<Scope>(job.below(3)), level};
      EXPECT_EQ(renamed(split(of_ranks(job.localities, order), request), order),
                renamed(split(job.localities, request), same))
          << "seed " << seed;
    }
  }
}

TEST(Properties, distance_is_an_ultrametric) {
  for (std::uint32_t seed = 0; seed < kSeeds && !HasFailure(); ++seed) {
    RandomJob job(seed);
    const Hierarchy hierarchy = hierarchy_of(job.localities);
    const Rank ranks = hierarchy.rank_count();
    for (int i = 0; i < 50; ++i) {
      const Rank a = job.below(ranks), b = job.below(ranks), c = job.below(ranks);
      EXPECT_EQ(distance(hierarchy, a, b), distance(hierarchy, b, a));
      EXPECT_EQ(distance(hierarchy, a, b) == 0, a == b);
      EXPECT_LE(distance(hierarchy, a, c),
                std::max(distance(hierarchy, a, b), distance(hierarchy, b, c)))
          << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace terrace::communicators
