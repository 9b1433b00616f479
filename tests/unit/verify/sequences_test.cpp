// SPDX-License-Identifier: BSD-3-Clause
// Goal: calls of all plans may follow each other in any order, and whatever in a contract that
// rests on can be seen to matter. Method: all plans of small teams laid next to each other; then
// contracts with one thing changed, in a team that has all the right plans as well.
#include "verify/sequences.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults.hpp"
#include "plan/lower.hpp"
#include "unit/verify/sweep.hpp"

namespace terrace {
namespace {

using testing::HasSubstr;
using testing_plans::Case;
using testing_plans::for_each_plan;
using testing_plans::options_of;

void add(Sequences& sequences, const Case& one, const std::vector<CallContract>& contracts) {
  const auto added = sequences.add(one.lowered, contracts, options_of(one));
  ASSERT_TRUE(added) << one.name << "\n" << added.error().sentence;
}

Sequences all_calls(Rank ranks) {
  Sequences sequences(ranks);
  for_each_plan(ranks, {8, 2},
                [&](const Case& one) { add(sequences, one, contracts_of(one.lowered)); });
  return sequences;
}

TEST(Sequences, of_any_two_and_three_calls_keep_their_memory_apart) {
  for (const Rank ranks : {1u, 2u, 3u, 4u, 5u}) {
    const Sequences sequences = all_calls(ranks);
    EXPECT_GT(sequences.calls(), 2u * algorithms().size());
    const auto pairs = sequences.prove_pairs(), triples = sequences.prove_triples();
    ASSERT_TRUE(pairs) << ranks << " ranks: " << pairs.error().sentence;
    ASSERT_TRUE(triples) << ranks << " ranks: " << triples.error().sentence;
    EXPECT_EQ(pairs.value(), sequences.calls() * sequences.calls());
    EXPECT_EQ(triples.value(), pairs.value() * sequences.calls());
  }
}

/// Beside the right calls, so that only what was changed can be at fault.
bool is_found(const Sequences& right, const Case& one, const std::vector<CallContract>& contracts) {
  Sequences sequences = right;
  add(sequences, one, contracts);
  return !sequences.prove_pairs() || !sequences.prove_triples();
}

/// One reader may know of the others, so that they need not be asked; but not none at all.
TEST(Sequences, need_the_readers_that_a_contract_names) {
  const Sequences right = all_calls(3);
  std::size_t tried = 0;
  for_each_plan(3, {8, 2}, [&](const Case& one) {
    const std::vector<CallContract> contracts = contracts_of(one.lowered);
    for (Rank rank = 0; rank < 3; ++rank) {
      std::vector<CallContract> wrong = contracts;
      std::vector<std::vector<Rank>*> lists = {&wrong[rank].scratch_readers};
      for (std::vector<Rank>& readers : wrong[rank].line_readers) lists.push_back(&readers);
      for (std::vector<Rank>* readers : lists) {
        if (readers->empty()) continue;
        const std::vector<Rank> whole = std::exchange(*readers, {});
        ++tried;
        EXPECT_TRUE(is_found(right, one, wrong)) << one.name << ", rank " << rank;
        *readers = whole;
      }
    }
  });
  EXPECT_GT(tried, 100u);
}

TEST(Sequences, bear_no_false_claim_to_have_heard_from_all) {
  const Sequences right = all_calls(3);
  std::size_t tried = 0;
  for_each_plan(3, {8, 2}, [&](const Case& one) {
    const std::vector<CallContract> contracts = contracts_of(one.lowered);
    for (Rank rank = 0; rank < 3; ++rank) {
      if (contracts[rank].hears_all) continue;
      std::vector<CallContract> wrong = contracts;
      wrong[rank].hears_all = true;
      ++tried;
      EXPECT_TRUE(is_found(right, one, wrong)) << one.name << ", rank " << rank;
    }
  });
  EXPECT_GT(tried, 50u);
}

TEST(Sequences, name_ranks_and_calls_of_a_fault) {
  const Plan plan = lowered("plan bcast.flat\nranks 2\n1: out[1] = in[0]\n", Lowering::owner);
  std::vector<CallContract> contracts = contracts_of(plan);
  contracts[0].scratch_readers.clear();
  Sequences sequences(2);
  ASSERT_TRUE(sequences.add(plan, contracts));
  EXPECT_THAT(
      sequences.prove_pairs().error().sentence,
      testing::AllOf(HasSubstr("rank 0 may write rank 0's scratch for bcast.flat, root 0 ("),
                     HasSubstr("while rank 1 still touches it for bcast.flat, root 0 (")));
}

TEST(Sequences, refuse_a_plan_of_another_team_and_contracts_of_another_plan) {
  const Plan plan = lowered("plan bcast.flat\nranks 2\n1: out[1] = in[0]\n", Lowering::lines);
  EXPECT_THAT(Sequences(3).add(plan, contracts_of(plan)).error().sentence,
              HasSubstr("not for a team of 3 ranks"));
  std::vector<CallContract> contracts = contracts_of(plan);
  contracts[1].line_readers.clear();
  EXPECT_THAT(Sequences(2).add(plan, contracts).error().sentence,
              HasSubstr("not for a team of 2 ranks"));
}

}  // namespace
}  // namespace terrace
