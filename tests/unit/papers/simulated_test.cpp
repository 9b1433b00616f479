// SPDX-License-Identifier: BSD-3-Clause
// Plans on the papers' machines: that a point of the box is what the machine becomes, and that the
// simulated claims see a difference.
#include "papers/simulated.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "papers/exact.hpp"

namespace terrace::papers {
namespace {

PlayStage stage_on(const PaperNode& node, const std::string& machine) {
  auto stage = stage_of(node, TERRACE_SOURCE_DIR "/machines/" + machine + ".json");
  EXPECT_TRUE(stage.ok());
  return std::move(stage).value();
}

TEST(Simulated, a_machine_that_is_not_there_is_an_error) {
  EXPECT_FALSE(stage_of(westmere(), "none").ok());
}

TEST(Simulated, a_machine_takes_its_parameters_from_the_point) {
  const PlayStage stage = stage_on(magny_cours(), "magny-cours-6100");
  const std::vector<double> point = {8, 2, 0.5, 0.25, 40, 100, 7};
  const model::MachineModel machine = machine_at(stage, point);
  EXPECT_DOUBLE_EQ(machine.distances[1].modified, 40);
  EXPECT_DOUBLE_EQ(machine.distances[1].b, 8);
  EXPECT_DOUBLE_EQ(machine.distances[1].B, 4);
  EXPECT_DOUBLE_EQ(machine.distances[2].modified, 100);
  EXPECT_DOUBLE_EQ(machine.distances[2].b, 16);
  EXPECT_DOUBLE_EQ(machine.distances[2].B, 4);
  EXPECT_DOUBLE_EQ(machine.distances[3].further_reader, 7);
  const double ratio = stage.machine.distances[3].modified / stage.machine.distances[2].modified;
  EXPECT_DOUBLE_EQ(machine.distances[3].modified, 100 * ratio);
}

TEST(Simulated, more_contention_for_a_line_makes_a_flat_broadcast_slower) {
  const PlayStage stage = stage_on(magny_cours(), "magny-cours-6100");
  const PlayedTime flat = played(stage, "bcast.flat");
  const auto time = [&](double reader) {
    const std::vector<double> point = {8, 2, 0.5, 0.25, 40, 100, reader};
    return simulated_time(machine_at(stage, point), stage, flat, 64);
  };
  EXPECT_GT(time(10), time(0) + 100);
}

TEST(Simulated, a_line_that_takes_another_time_is_noticed) {
  const ClaimAnswer right = with_simulated_line(line_on_westmere(model::hpdc13::kWestmere),
                                                westmere(), "allreduce.tree", 306.7);
  EXPECT_EQ(right.verdict, ClaimVerdict::reproduced);
  const ClaimAnswer other = with_simulated_line(line_on_westmere(model::hpdc13::kWestmere),
                                                westmere(), "allreduce.tree_staged", 306.7);
  EXPECT_EQ(other.verdict, ClaimVerdict::not_reproduced);
}

}  // namespace
}  // namespace terrace::papers
