// SPDX-License-Identifier: BSD-3-Clause
// The ParCo paper's plans: that they move what they should, and that both clocks see the machine.
#include "papers/levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace terrace::papers {
namespace {

PaperJob job_with(std::size_t platform, const std::string& name,
                  RankPlacement placement = RankPlacement::along_machine) {
  auto job =
      job_on(platforms()[platform], placement, TERRACE_SOURCE_DIR "/machines/" + name + ".json");
  EXPECT_TRUE(job.ok());
  return std::move(job).value();
}

/// Values that are copied or received.
std::size_t moves(const Plan& plan) {
  return static_cast<std::size_t>(std::ranges::count_if(plan.body, [](const Step& step) {
    return step.kind == StepKind::receive ||
           (step.kind == StepKind::reduce && step.from.size() == 1);
  }));
}

TEST(Levels, a_machine_that_is_not_there_is_an_error) {
  EXPECT_FALSE(job_on(platforms()[0], RankPlacement::along_machine, "none").ok());
}

TEST(Levels, node_by_node_puts_neighbours_on_different_nodes) {
  const PaperJob along = job_with(3, "ntw24e5");
  const PaperJob in_turn = job_with(3, "ntw24e5", RankPlacement::node_by_node);
  EXPECT_EQ(along.hierarchy.nodes[0], along.hierarchy.nodes[1]);
  EXPECT_NE(in_turn.hierarchy.nodes[0], in_turn.hierarchy.nodes[1]);
  EXPECT_EQ(in_turn.hierarchy.nodes[0], in_turn.hierarchy.nodes[24]);
  const std::set<std::uint32_t> nodes(in_turn.hierarchy.nodes.begin(),
                                      in_turn.hierarchy.nodes.end());
  EXPECT_EQ(nodes.size(), 24u);
}

/// 240 ranks in 15 rows of 16: a rank that is not first in a row or column gets a block once.
TEST(Levels, matrices_give_each_rank_a_block_of_its_row_and_of_its_column) {
  const PaperJob job = job_with(2, "ntw10e5");
  ASSERT_EQ(row_of(240), 16u);
  for (const auto groups : {std::optional(1u), std::optional(4u), std::optional<std::uint32_t>()}) {
    const Plan plan = matrix_plan(job, groups);
    EXPECT_EQ(moves(plan), 15u * 15 + 16 * 14);
    std::set<std::pair<Rank, std::uint32_t>> got;
    for (const Step& step : plan.body)
      for (const Region& to : step.to) EXPECT_TRUE(got.insert({to.rank, to.block}).second);
  }
}

/// Every rank but the first hands its vector, or its sum, on once; then all is copied
/// out.
TEST(Levels, vectors_are_gathered_from_every_rank) {
  const PaperJob job = job_with(3, "ntw24e5");
  EXPECT_EQ(moves(vector_plan(job, {})), 575u + 1);
  for (const std::vector<std::uint32_t>& sizes : manual_levels())
    EXPECT_EQ(moves(vector_plan(job, sizes)), 575u + 1);
}

TEST(Levels, both_clocks_see_the_network_and_the_manner) {
  const PaperJob job = job_with(2, "ntw10e5");
  const PaperProgram linear = program_of(job, "bcast.linear");
  std::vector<double> slow = point_in_the_middle();
  slow[5] = 2;
  for (const ModelClock clock : {ModelClock::simulated, ModelClock::costed}) {
    const auto time = [&](const std::vector<double>& point, Manner manner, double bytes) {
      return time_by(clock, machine_at(job, point), job, linear, manner, bytes);
    };
    const std::vector<double> middle = point_in_the_middle();
    EXPECT_GT(time(slow, {false, 0}, 65536), 1.5 * time(middle, {false, 0}, 65536))
        << name_of(clock);
    EXPECT_LT(time(middle, {true, 0}, 65536), time(middle, {false, 0}, 65536)) << name_of(clock);
  }
}

/// The paper's point: levels that know nothing of the nodes send all over the network.
TEST(Levels, by_hand_are_slower_where_neighbours_are_on_different_nodes) {
  const PaperJob job = job_with(3, "ntw24e5", RankPlacement::node_by_node);
  const PaperProgram machine = program_of(vector_plan(job, {}));
  const PaperProgram manual = program_of(vector_plan(job, manual_levels()[0]));
  const std::vector<double> middle = point_in_the_middle();
  for (const ModelClock clock : {ModelClock::simulated, ModelClock::costed}) {
    const auto time = [&](const PaperProgram& program) {
      return time_by(clock, machine_at(job, middle), job, program, manner_at(middle), 65536);
    };
    EXPECT_GT(time(manual), 2 * time(machine)) << name_of(clock);
  }
}

}  // namespace
}  // namespace terrace::papers
