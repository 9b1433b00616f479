// SPDX-License-Identifier: BSD-3-Clause
// Goal: plans that only a fault of Terrace could bring to a program end the process.
#include <gtest/gtest.h>

#include "plan/lower.hpp"
#include "plan/rank_program.hpp"
#include "plan/step_forms.hpp"
#include "unit/contracts.hpp"

namespace terrace {
namespace {

Plan exchange() {
  PlanBuilder builder("a", 2);
  builder.reduce(0, {input(0), input(1)}, {output(0)});
  builder.copy(1, output(0), output(1));
  return lower(std::move(builder).build(), Lowering::lines).value();
}

TEST(PlanContracts, hold_for_plans_that_are_lowered) {
  EXPECT_EQ(2u, programs_of(exchange()).size());
}

TEST(PlanContracts, of_programs_await_steps_that_there_are) {
  Plan plan = exchange();
  for (Step& step : plan.body)
    for (Wait& wait : step.waits) wait.steps = 9;
  EXPECT_DEATH(program_of(plan, 0), "broken contract: ");
}

TEST(PlanContracts, of_programs_count_in_16_bits) {
  PlanBuilder builder("a", 1);
  builder.reduce(0, std::vector<Region>(0x10000, input(0)), {output(0)});
  const Plan plan = std::move(builder).build();
  EXPECT_BROKEN(program_of(plan, 0), "step.from.size\\(\\) <= 0xffff");
}

TEST(PlanContracts, name_kinds_that_there_are) {
  EXPECT_BROKEN(form_of(static_cast<StepKind>(kStepKindCount)), "index < kForms.size\\(\\)");
}

TEST(PlanContracts, keep_steps_to_the_plans_ranks) {
  PlanBuilder builder("a", 2);
  EXPECT_BROKEN_IN_DEBUG_BUILDS(builder.copy(2, input(0), output(0)), "by < plan_.ranks");
  EXPECT_BROKEN_IN_DEBUG_BUILDS(input(0, 0x10000), "block <= 0xffff");
  EXPECT_BROKEN_IN_DEBUG_BUILDS(builder.send_all({{}}), "!message.empty\\(\\)");
}

}  // namespace
}  // namespace terrace
