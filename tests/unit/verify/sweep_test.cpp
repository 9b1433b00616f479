// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm on every machine shape, every root, both lowerings. TERRACE_VERIFY_RANKS=17 in
// the environment widens the sweep from 9 ranks.
#include <gtest/gtest.h>

#include "unit/verify/sweep.hpp"
#include "verify/verify.hpp"

namespace terrace {
namespace {

using testing_plans::Case;
using testing_plans::for_each_plan;
using testing_plans::most_ranks;

TEST(VerifySweep, proves_every_algorithm_on_every_shape_with_every_root) {
  for (Rank ranks = 1; ranks <= most_ranks(9); ++ranks)
    for_each_plan(ranks, {8, 2, 3}, [&](const Case& one) {
      VerifyOptions options;
      options.root = one.root;
      const Collective collective = one.algorithm->collective;
      const auto proof = verify(one.lowered, postcondition(collective, ranks, one.root), options);
      EXPECT_TRUE(proof) << one.name << "\n" << proof.error().sentence;
    });
}

TEST(VerifySweep, finds_every_contract_true_or_cautious) {
  for (Rank ranks = 1; ranks <= most_ranks(9); ++ranks)
    for_each_plan(ranks, {8, 2, 3}, [&](const Case& one) {
      VerifyOptions options;
      options.root = one.root;
      const auto agreed = verify_contracts(one.lowered, contracts_of(one.lowered), options);
      EXPECT_TRUE(agreed) << one.name << "\n" << agreed.error().sentence;
    });
}

}  // namespace
}  // namespace terrace
