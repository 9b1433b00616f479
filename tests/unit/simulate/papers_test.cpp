// SPDX-License-Identifier: BSD-3-Clause
// The simulator against the closed forms of the HPDC'13 paper (model/hpdc13.hpp), where these say
// what a plan does: on the paper's machines, synchronization left out.
#include <gtest/gtest.h>

#include "collectives/collectives.hpp"
#include "machine_files/read_machine_model.hpp"
#include "machines.hpp"
#include "model/hpdc13.hpp"
#include "plan/lower.hpp"
#include "simulate/simulate.hpp"

namespace terrace::simulate {
namespace {

using model::hpdc13::Costs;

model::MachineModel model_named(const std::string& name) {
  const auto model = model::read_machine_model(TERRACE_SOURCE_DIR "/machines/" + name + ".json");
  EXPECT_TRUE(model) << (model ? "" : model.error().sentence);
  return model ? model.value() : model::MachineModel{};
}

double time_of(const model::MachineModel& machine, const std::vector<Locality>& ranks,
               const std::string& algorithm, std::uint32_t radix, double lines) {
  const Hierarchy hierarchy = hierarchy_of(ranks);
  const Plan plan = find_algorithm(algorithm)->write({hierarchy, 0, radix});
  const std::vector<RankProgram> parts = programs_of(lower(plan, Lowering::owner).value());
  SimulationSetting setting;
  setting.mode = Mode::paper;
  setting.element_count = static_cast<std::size_t>(lines) * 8;
  const auto outcome = simulate(machine, ranks, parts, setting);
  EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().sentence);
  return outcome ? outcome.value().calls.back().last_end : 0;
}

TEST(Papers, a_line_by_the_tree_on_westmere_takes_306_7_ns) {
  const auto machine = model_named("westmere-x5650");
  const auto ranks = model::localities_on(machine, 12).value();
  EXPECT_NEAR(time_of(machine, ranks, "allreduce.tree", 2, 1), 306.7, 0.05);
}

TEST(Papers, a_line_by_the_tree_on_magny_cours_takes_608_4_ns) {
  const auto machine = model_named("magny-cours-6100");
  const auto ranks = model::localities_on(machine, 32).value();
  EXPECT_NEAR(time_of(machine, ranks, "allreduce.tree_staged", 2, 1), 608.4, 0.05);
}

/// The paper's machine in the paper's letters: no cost but a, b and B.
model::MachineModel letters(const Costs& costs) {
  auto machine = round_machine();
  for (model::Cache& cache : machine.caches) cache.latency = cache.line = 0, cache.bytes = 1e9;
  model::Distance &near = machine.distances[1], &far = machine.distances[2];
  near.modified = near.shared = costs.a_alpha + costs.b_alpha;
  far.modified = far.shared = costs.a_beta + costs.b_beta;
  near.further_line = far.further_line = 0;
  near.b = costs.b_alpha, near.B = costs.B_alpha;
  far.b = costs.b_beta, far.B = costs.B_beta;
  return machine;
}

/// b and B alike: what readers share does not hold them up.
TEST(Papers, a_long_vector_by_the_tree_takes_what_equation_5_says) {
  const Costs costs{30, 5, 0.5, 100, 12, 1};
  for (const double lines : {64.0, 1024.0, 16384.0}) {
    const double unfolded =
        3 * (costs.a_alpha + costs.b_alpha * lines) + 2 * (costs.a_beta + costs.b_beta * lines);
    EXPECT_NEAR(time_of(letters(costs), on_packages(2, 6), "allreduce.tree", 2, lines) / unfolded,
                1, 0.01)
        << lines;
  }
}

/// Six readers over the link at once, each slowed down: a + B q m.
TEST(Papers, a_broadcast_in_one_stage_shares_the_link_as_equation_4_says) {
  const Costs costs{30, 5, 0.5, 100, 12, 4};
  for (const double lines : {64.0, 1024.0, 16384.0}) {
    const double expected = model::hpdc13::one_stage_broadcast(costs, {6, 2}, lines);
    EXPECT_NEAR(time_of(letters(costs), on_packages(2, 6), "bcast.flat", 2, lines) / expected, 1,
                0.01)
        << lines;
  }
}

TEST(Papers, a_broadcast_in_two_stages_shares_the_cache_as_equation_4_says) {
  const Costs costs{30, 5, 2, 100, 12, 4};
  for (const double lines : {64.0, 1024.0, 16384.0}) {
    const double expected = model::hpdc13::two_stage_broadcast(costs, {6, 2}, lines);
    EXPECT_NEAR(time_of(letters(costs), on_packages(2, 6), "bcast.staged", 2, lines) / expected, 1,
                0.01)
        << lines;
  }
}

}  // namespace
}  // namespace terrace::simulate
