// SPDX-License-Identifier: BSD-3-Clause
// The worked examples of the papers on hierarchical communicators, group by group as their texts
// list them: sections 5.1 and 5.2 of Parallel Computing 76 (2018), and 3.2.5 of Inria's research
// report 9077 (2017).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "communicators/names.hpp"
#include "communicators/split.hpp"
#include "machine/pretend.hpp"

namespace terrace::communicators {
namespace {

/// Figure 1: two NUMA nodes of one package and L3 each; an L2 and an L1 for each pair of cores.
constexpr const char* kFigure1 = "pack:2 [numa] l3:1 l2:2 l1:1 core:2 pu:1";

using Groups = std::set<std::vector<Rank>>;

/// One step for all ranks: the communicators, and for each parent that was divided its roots.
struct StepTaken {
  Groups groups;
  Groups roots;
  std::set<std::string> types;
};

std::vector<Locality> localities_on_figure_1(Rank ranks, std::map<std::string, std::string> set) {
  const Result<Machine> machine = read_machine_synthetic(kFigure1);
  EXPECT_TRUE(machine.ok());
  const Environment environment = [&](const std::string& name) -> std::optional<std::string> {
    const auto found = set.find(name);
    return found == set.end() ? std::nullopt : std::optional(found->second);
  };
  return localities_on(machine.value(), environment, ranks).value();
}

/// Every parent divides, as when all ranks call the split in a loop.
std::vector<StepTaken> steps_of(const std::vector<Locality>& localities) {
  Groups parents = {{}};
  std::vector<Rank> all;
  for (Rank rank = 0; rank < localities.size(); ++rank) all.push_back(rank);
  parents = {all};
  std::vector<StepTaken> steps;
  while (!parents.empty()) {
    StepTaken step;
    for (const std::vector<Rank>& parent : parents) {
      std::vector<Locality> theirs;
      for (const Rank rank : parent) theirs.push_back(localities[rank]);
      std::vector<Rank> roots;
      for (const Child& child : split(theirs, {})) {
        std::vector<Rank> group;
        for (const Rank rank : child.ranks) group.push_back(parent[rank]);
        roots.push_back(group.front());
        step.types.insert(type_of(child.level));
        step.groups.insert(std::move(group));
      }
      if (!roots.empty()) step.roots.insert(roots);
    }
    parents = step.groups;
    if (!step.groups.empty()) steps.push_back(std::move(step));
  }
  return steps;
}

/// Ranks `first` to `first + count - 1`.
std::vector<Rank> run(Rank first, Rank count) {
  std::vector<Rank> ranks;
  for (Rank i = 0; i < count; ++i) ranks.push_back(first + i);
  return ranks;
}

/// Runs of `length` ranks, from 0 to `ranks`.
Groups runs(Rank ranks, Rank length) {
  Groups groups;
  for (Rank first = 0; first < ranks; first += length) groups.insert(run(first, length));
  return groups;
}

TEST(Parco, section_5_1_divides_32_ranks_of_4_nodes) {
  const auto steps =
      steps_of(localities_on_figure_1(32, {{"TERRACE_NODES", "4"}, {"TERRACE_BIND", "core"}}));
  ASSERT_EQ(steps.size(), 4u);  // step 5 yields MPI_COMM_NULL

  EXPECT_EQ(steps[0].groups, runs(32, 8));
  EXPECT_EQ(steps[0].roots, (Groups{{0, 8, 16, 24}}));
  EXPECT_EQ(steps[0].types, std::set<std::string>{"Machine"});

  EXPECT_EQ(steps[1].groups, runs(32, 4));
  EXPECT_EQ(steps[1].roots, (Groups{{0, 4}, {8, 12}, {16, 20}, {24, 28}}));
  EXPECT_EQ(steps[1].types, std::set<std::string>{"L3Cache"});

  EXPECT_EQ(steps[2].groups, runs(32, 2));
  EXPECT_EQ(steps[2].roots,
            (Groups{{0, 2}, {4, 6}, {8, 10}, {12, 14}, {16, 18}, {20, 22}, {24, 26}, {28, 30}}));
  EXPECT_EQ(steps[2].types, std::set<std::string>{"L1Cache"});

  EXPECT_EQ(steps[3].groups, runs(32, 1));
  EXPECT_EQ(steps[3].roots, runs(32, 2));
  EXPECT_EQ(steps[3].types, std::set<std::string>{"Core"});
}

/// Ranks 0 and 1 on cores, 2 and 3 on an L2, 4 to 7 on a NUMA node.
constexpr const char* kFigure2 = "0,1,2+3,2+3,4-7,4-7,4-7,4-7";

TEST(Parco, section_5_2_divides_ranks_of_different_bindings) {
  const auto steps = steps_of(localities_on_figure_1(8, {{"TERRACE_BIND", kFigure2}}));
  ASSERT_EQ(steps.size(), 3u);  // step 4 yields MPI_COMM_NULL

  EXPECT_EQ(steps[0].groups, (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(steps[0].roots, (Groups{{0, 4}}));
  EXPECT_EQ(steps[0].types, std::set<std::string>{"L3Cache"});

  EXPECT_EQ(steps[1].groups, (Groups{{0, 1}, {2, 3}}));
  EXPECT_EQ(steps[1].roots, (Groups{{0, 2}}));
  EXPECT_EQ(steps[1].types, std::set<std::string>{"L1Cache"});

  EXPECT_EQ(steps[2].groups, (Groups{{0}, {1}}));
  EXPECT_EQ(steps[2].roots, (Groups{{0, 1}}));
  EXPECT_EQ(steps[2].types, std::set<std::string>{"Core"});
}

/// The report lists one of several nodes, so there is a second one here: a first step that gave all
/// ranks of one node would be no strict subset, which the report asks for in 3.2.2.
TEST(Report9077, section_3_2_5_divides_cores_of_a_node) {
  const auto steps =
      steps_of(localities_on_figure_1(16, {{"TERRACE_NODES", "2"}, {"TERRACE_BIND", "core"}}));
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_TRUE(steps[0].groups.contains(run(0, 8)));
  EXPECT_EQ(steps[0].roots, (Groups{{0, 8}}));
  for (const std::vector<Rank>& group : {run(0, 4), run(4, 4)})
    EXPECT_TRUE(steps[1].groups.contains(group));
  EXPECT_TRUE(steps[1].roots.contains({0, 4}));
  for (Rank i = 0; i < 4; ++i) EXPECT_TRUE(steps[2].groups.contains(run(2 * i, 2)));
  for (const std::vector<Rank>& roots : Groups{{0, 2}, {4, 6}})
    EXPECT_TRUE(steps[2].roots.contains(roots));
  for (Rank i = 0; i < 8; ++i) EXPECT_TRUE(steps[3].groups.contains(run(i, 1)));
  for (Rank i = 0; i < 4; ++i) EXPECT_TRUE(steps[3].roots.contains(run(2 * i, 2)));
}

TEST(Report9077, section_3_2_5_divides_ranks_of_different_bindings) {
  const std::string bindings = std::string(kFigure2) + ',' + kFigure2;
  const auto steps =
      steps_of(localities_on_figure_1(16, {{"TERRACE_NODES", "2"}, {"TERRACE_BIND", bindings}}));
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_TRUE(steps[0].groups.contains(run(0, 8)));
  EXPECT_TRUE(steps[1].groups.contains(run(0, 4)) && steps[1].groups.contains(run(4, 4)));
  EXPECT_TRUE(steps[1].roots.contains({0, 4}));
  EXPECT_EQ(steps[2].groups, (Groups{{0, 1}, {2, 3}, {8, 9}, {10, 11}}));
  EXPECT_TRUE(steps[2].roots.contains({0, 2}));
  EXPECT_EQ(steps[3].groups, (Groups{{0}, {1}, {8}, {9}}));
  EXPECT_TRUE(steps[3].roots.contains({0, 1}));
}

}  // namespace
}  // namespace terrace::communicators
