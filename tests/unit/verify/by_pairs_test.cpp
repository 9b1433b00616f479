// SPDX-License-Identifier: BSD-3-Clause
// Teams of many ranks derive waits by pairs. Goal: plans with such waits are right, too, with the
// contracts that follow from them. Method: the derivation does not ask how many ranks there are, so
// small teams are proved with it, as they are with the waits that they run.
#include <gtest/gtest.h>

#include "plan/lower.hpp"
#include "unit/verify/sweep.hpp"
#include "verify/sequences.hpp"
#include "verify/verify.hpp"

namespace terrace {
namespace {

using testing_plans::Case;
using testing_plans::for_each_plan;
using testing_plans::most_ranks;
using testing_plans::options_of;

std::size_t waits_in(const Plan& plan) {
  std::size_t waits = 0;
  for (const auto* steps : {&plan.body, &plan.closing})
    for (const Step& step : *steps) waits += step.waits.size();
  return waits;
}

Plan by_pairs(const Case& one) {
  Plan plan = one.lowered;
  derive_waits_by_pairs(plan);
  return plan;
}

void expect_proved_by_pairs(const Case& one) {
  const Plan plan = by_pairs(one);
  const Postcondition promise = postcondition(*one.algorithm, plan.ranks, one.root);
  const auto proof = verify(plan, promise, options_of(one));
  EXPECT_TRUE(proof) << one.name << "\n" << proof.error().sentence;
  const auto agreed = verify_contracts(plan, contracts_of(plan), options_of(one));
  EXPECT_TRUE(agreed) << one.name << "\n" << agreed.error().sentence;
  EXPECT_GE(waits_in(plan), waits_in(one.lowered)) << one.name;
}

TEST(WaitsByPairs, are_proved_for_every_algorithm_on_every_shape_with_every_root) {
  for (Rank ranks = 1; ranks <= most_ranks(6); ++ranks)
    for_each_plan(ranks, {8, 2}, expect_proved_by_pairs);
}

TEST(WaitsByPairs, are_proved_for_algorithms_by_name) {
  for (Rank ranks = 1; ranks <= most_ranks(5); ++ranks)
    for_each_plan(
        ranks, {8, 2},
        [](const Case& one) {
          if (!one.lowered.has_messages()) expect_proved_by_pairs(one);
        },
        algorithms_by_name());
}

TEST(WaitsByPairs, let_any_two_and_three_calls_keep_their_memory_apart) {
  for (const Rank ranks : {2u, 3u, 4u}) {
    Sequences sequences(ranks);
    for_each_plan(ranks, {8, 2}, [&](const Case& one) {
      const Plan plan = by_pairs(one);
      const auto added = sequences.add(plan, contracts_of(plan), options_of(one));
      ASSERT_TRUE(added) << one.name << "\n" << added.error().sentence;
    });
    const auto pairs = sequences.prove_pairs(), triples = sequences.prove_triples();
    EXPECT_TRUE(pairs) << ranks << " ranks: " << pairs.error().sentence;
    EXPECT_TRUE(triples) << ranks << " ranks: " << triples.error().sentence;
  }
}

/// No wait that knowledge of others' knowledge would imply is worth a clock for each step: flat
/// plans have none, trees few.
TEST(WaitsByPairs, are_hardly_more_among_as_many_ranks_as_are_derived_together) {
  std::size_t together = 0, pairwise = 0;
  const Hierarchy hierarchy = flat_hierarchy(96);
  for (const Algorithm& row : algorithms()) {
    const auto lowered =
        lower(row.write({hierarchy, 1, 8}), row.fits_long ? Lowering::owner : Lowering::lines);
    ASSERT_TRUE(lowered) << row.name;
    Plan plan = lowered.value();
    derive_waits_by_pairs(plan);
    together += waits_in(lowered.value());
    pairwise += waits_in(plan);
  }
  EXPECT_LE(static_cast<double>(pairwise), 1.01 * static_cast<double>(together));
}

}  // namespace
}  // namespace terrace
