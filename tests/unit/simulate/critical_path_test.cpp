// SPDX-License-Identifier: BSD-3-Clause
// Critical paths by hand, on the machine of round numbers, and their sums on real ones.
#include "simulate/critical_path.hpp"

#include <gmock/gmock.h>

#include "collectives/collectives.hpp"
#include "machine_files/read_machine_model.hpp"
#include "machines.hpp"
#include "plan/lower.hpp"
#include "simulate/simulate.hpp"

namespace terrace::simulate {
namespace {

using testing::ElementsAre;

SimulationOutcome played_with_steps(const model::MachineModel& machine,
                                    const std::vector<Locality>& ranks, const Plan& lowered,
                                    SimulationSetting setting) {
  setting.has_steps = true;
  setting.folds = false;
  const auto outcome = simulate(machine, ranks, programs_of(lowered), setting);
  EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().sentence);
  return outcome ? outcome.value() : SimulationOutcome{};
}

Plan lowered_from(const std::string& text, Lowering lowering) {
  return lower(plan_from_text(text).value(), lowering).value();
}

std::string text_of(const PathPiece& piece) {
  return std::string(to_text(piece.part)) + " " + std::to_string(piece.rank) + " " +
         std::to_string(std::lround(piece.begin)) + "-" + std::to_string(std::lround(piece.end));
}

std::vector<std::string> texts_of(const std::vector<PathPiece>& path) {
  std::vector<std::string> texts;
  for (const PathPiece& piece : path) texts.push_back(text_of(piece));
  return texts;
}

/// Each piece begins where the one before ends.
double length_of(const std::vector<PathPiece>& path) {
  for (std::size_t i = 1; i < path.size(); ++i)
    EXPECT_DOUBLE_EQ(path[i].begin, path[i - 1].end) << i << ": " << text_of(path[i]);
  return path.empty() ? 0 : path.back().end - path.front().begin;
}

TEST(CriticalPath, goes_through_the_signal_that_came_last) {
  const Plan plan = lowered_from("plan bcast.hand\nranks 2\n1: out[1] = in[0]\n", Lowering::lines);
  SimulationSetting setting;
  setting.element_count = 1;
  const auto near = played_with_steps(round_machine(), on_packages(1, 2), plan, setting);
  EXPECT_THAT(texts_of(critical_path(near)),
              ElementsAre("work 0 0-1", "signal 1 1-41", "work 1 41-42"));
  const auto far = played_with_steps(round_machine(), on_packages(2, 1), plan, setting);
  EXPECT_THAT(texts_of(critical_path(far)),
              ElementsAre("work 0 0-1", "signal 1 1-141", "work 1 141-142"));
}

/// Rank 1 is near to rank 0 and rank 2 is far: what comes last decides.
TEST(CriticalPath, takes_the_later_of_two_causes) {
  const Plan plan = lowered_from(
      "plan reduce.hand\nranks 4\n0: out[0] = in[0] + in[1] + in[2] + in[3]\n", Lowering::lines);
  SimulationSetting setting;
  setting.element_count = 1;
  const auto outcome = played_with_steps(round_machine(), on_packages(2, 2), plan, setting);
  const auto path = critical_path(outcome);
  ASSERT_GE(path.size(), 2u);
  EXPECT_GE(path.front().rank, 2u) << "not from the other package";
  EXPECT_EQ(path.back().rank, 0u);
  EXPECT_DOUBLE_EQ(length_of(path), outcome.calls.back().most);
}

TEST(CriticalPath, names_the_step_that_raised_a_word_or_a_line) {
  const Plan plan = lowered_from("plan bcast.hand\nranks 2\n1: out[1] = in[0]\n", Lowering::owner);
  SimulationSetting setting;
  setting.element_count = 4096;
  setting.strip_bytes = 8192;
  const auto outcome = played_with_steps(round_machine(), on_packages(1, 2), plan, setting);
  std::vector<std::pair<StepNumber, StepNumber>> causes;
  for (const PlayedStep& step : outcome.last_steps)
    if (step.cause) causes.emplace_back(step.number, *step.cause);
  ASSERT_FALSE(causes.empty());
  for (const auto& [step, cause] : causes) {
    EXPECT_NE(step.rank, cause.rank);
    EXPECT_LE(cause.strip, step.strip);
  }
  EXPECT_DOUBLE_EQ(length_of(critical_path(outcome)), outcome.calls.back().most);
}

/// All algorithms of an allreduce, short and long: as long as the call, and no cause comes after
/// what it caused.
TEST(CriticalPath, is_as_long_as_the_call) {
  const auto machine = model::read_machine_model("westmere-x5650").value();
  const auto places = model::localities_on(machine, 12, "").value();
  const Hierarchy hierarchy = hierarchy_of(places);
  for (const char* name :
       {"allreduce.tree", "allreduce.all_read", "allreduce.tiled", "allreduce.push"})
    for (const std::size_t elements : {std::size_t{1}, std::size_t{32768}}) {
      const Plan written = find_algorithm(name)->write({hierarchy, 0, 2});
      const auto lowered = lower(written, Lowering::owner);
      ASSERT_TRUE(lowered) << name;
      SimulationSetting setting;
      setting.element_count = elements;
      setting.calls = 3;
      const auto outcome = played_with_steps(machine, places, lowered.value(), setting);
      const double took = outcome.calls.back().last_end - outcome.calls.back().first_begin;
      EXPECT_NEAR(length_of(critical_path(outcome)), took, 1e-9 * took) << name;
      EXPECT_EQ(outcome.last_steps.size() * 3, outcome.steps) << name;
      for (const PathPiece& piece : critical_path(outcome)) EXPECT_LE(piece.begin, piece.end);
    }
}

/// The receive's cause is the send on the other node.
TEST(CriticalPath, crosses_the_network_with_the_message) {
  const auto machine = model::read_machine_model("ntw10e5").value();
  const auto places = model::localities_on(machine, 4, "2,2").value();
  const Hierarchy hierarchy = hierarchy_of(places);
  const Plan written = find_algorithm("allreduce.leaders")->write({hierarchy, 0, 8});
  const auto lowered = lower(written, Lowering::lines);
  ASSERT_TRUE(lowered) << lowered.error().sentence;
  SimulationSetting setting;
  setting.element_count = 1;
  const auto outcome = played_with_steps(machine, places, lowered.value(), setting);
  const auto path = critical_path(outcome);
  const auto message = std::find_if(path.begin(), path.end(), [](const PathPiece& piece) {
    return piece.part == PathPart::message;
  });
  ASSERT_NE(message, path.end());
  const PlayedStep& receive = outcome.last_steps[message->step];
  ASSERT_TRUE(receive.cause && receive.awaits_message);
  EXPECT_NE(hierarchy.nodes[receive.cause->rank], hierarchy.nodes[receive.number.rank]);
  EXPECT_DOUBLE_EQ(length_of(path), outcome.calls.back().most);
}

TEST(CriticalPath, is_not_there_unless_steps_were_asked_for) {
  EXPECT_TRUE(critical_path(SimulationOutcome{}).empty());
}

}  // namespace
}  // namespace terrace::simulate
