// SPDX-License-Identifier: BSD-3-Clause
// Each check seen to fail: plans with one fault put in, which `verify` must find. Derived waits are
// minimal, so not one of them may be dropped anywhere.
#include <gtest/gtest.h>

#include "unit/verify/sweep.hpp"
#include "verify/verify.hpp"

namespace terrace {
namespace {

using testing_plans::Case;
using testing_plans::for_each_plan;

constexpr Rank kMostRanks = 5;

void for_each_small_plan(const std::function<void(const Case&)>& visit) {
  for (Rank ranks = 2; ranks <= kMostRanks; ++ranks) for_each_plan(ranks, {8, 2}, visit);
}

bool is_proved(const Case& one, const Plan& plan) {
  VerifyOptions options;
  options.root = one.root;
  const auto promise = postcondition(one.algorithm->collective, plan.ranks, one.root);
  return verify(plan, promise, options).ok();
}

/// Calls `visit(plan, steps, step)` with a copy of the plan for each of its steps, to be spoilt.
template <class Visit>
void for_each_step(const Plan& plan, Visit visit) {
  Plan copy = plan;
  for (auto* steps : {&copy.body, &copy.closing})
    for (std::size_t i = 0; i < steps->size(); ++i) visit(copy, *steps, i);
}

TEST(VerifyMutations, finds_every_single_dropped_wait) {
  std::size_t dropped = 0, with_lag = 0, at_holds = 0, missed = 0;
  for_each_small_plan([&](const Case& one) {
    for_each_step(one.lowered, [&](Plan& plan, std::vector<Step>& steps, std::size_t i) {
      const Step whole = steps[i];
      for (std::size_t w = 0; w < whole.waits.size(); ++w) {
        steps[i].waits.erase(steps[i].waits.begin() + static_cast<std::ptrdiff_t>(w));
        ++dropped;
        with_lag += whole.waits[w].lag != 0;
        at_holds += whole.kind == StepKind::hold;
        if (is_proved(one, plan) && ++missed < 20)
          ADD_FAILURE() << one.name << "\nstep `" << to_text(whole, plan) << "` without wait " << w
                        << " passes, in\n" << to_text(one.lowered);
        steps[i] = whole;
      }
    });
  });
  EXPECT_EQ(missed, 0u);
  EXPECT_GT(dropped, 1000u);
  EXPECT_GT(with_lag, 100u);
  EXPECT_GT(at_holds, 100u);
  RecordProperty("dropped", static_cast<int>(dropped));
  RecordProperty("missed", static_cast<int>(missed));
}

}  // namespace
}  // namespace terrace
