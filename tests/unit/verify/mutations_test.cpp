// SPDX-License-Identifier: BSD-3-Clause
// Each check seen to fail: plans with one fault put in, which `verify` must find. Derived waits are
// minimal, so not one of them may be dropped anywhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/verify/sweep.hpp"
#include "verify/sequences.hpp"
#include "verify/verify.hpp"

namespace terrace {
namespace {

using testing_plans::Case;
using testing_plans::for_each_plan;
using testing_plans::most_ranks;

constexpr Rank kMostRanks = 5;

void for_each_small_plan(const std::function<void(const Case&)>& visit) {
  for (Rank ranks = 2; ranks <= std::min(kMostRanks, most_ranks(kMostRanks)); ++ranks)
    for_each_plan(ranks, {8, 2}, visit);
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
                        << " passes, in\n"
                        << to_text(one.lowered);
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

TEST(VerifyMutations, finds_every_dropped_hold) {
  std::size_t dropped = 0;
  for_each_small_plan([&](const Case& one) {
    for_each_step(one.lowered, [&](Plan& plan, std::vector<Step>& steps, std::size_t i) {
      if (steps[i].kind != StepKind::hold || steps[i].waits.empty()) return;
      const Step whole = steps[i];
      steps[i].waits.clear();
      ++dropped;
      EXPECT_FALSE(is_proved(one, plan)) << one.name << "\n" << to_text(whole, plan);
      steps[i] = whole;
    });
  });
  EXPECT_GT(dropped, 100u);
}

/// Which step of its rank, from 1, the `i`-th statement of the body is.
std::uint32_t number_of(const Plan& plan, std::size_t i) {
  std::uint32_t number = 1;
  for (std::size_t j = 0; j < i; ++j) number += plan.body[j].by == plan.body[i].by;
  return number;
}

bool is_awaited(const Plan& plan, Rank rank, std::uint32_t number) {
  for (const auto* steps : {&plan.body, &plan.closing})
    for (const Step& step : *steps)
      for (const Wait& wait : step.waits)
        if (wait.rank == rank && wait.steps == number) return true;
  return false;
}

/// The step's count is published when its waits are met, its work is done afterwards.
Plan publish_early(Plan plan, std::size_t i) {
  const Rank by = plan.body[i].by;
  const std::uint32_t number = number_of(plan, i);
  for (auto* steps : {&plan.body, &plan.closing})
    for (Step& step : *steps)
      for (Wait& wait : step.waits)
        if (wait.rank == by && wait.steps > number) ++wait.steps;
  Step promise{StepKind::hold, by, {}, {}, std::move(plan.body[i].waits)};
  plan.body[i].waits.clear();
  plan.body.insert(plan.body.begin() + static_cast<std::ptrdiff_t>(i), std::move(promise));
  return plan;
}

TEST(VerifyMutations, finds_every_count_published_before_the_work_is_done) {
  std::size_t tried = 0;
  for_each_small_plan([&](const Case& one) {
    if (one.algorithm->collective == Collective::barrier) return;  // its steps move nothing
    for (std::size_t i = 0; i < one.lowered.body.size(); ++i) {
      if (!is_awaited(one.lowered, one.lowered.body[i].by, number_of(one.lowered, i))) continue;
      ++tried;
      EXPECT_FALSE(is_proved(one, publish_early(one.lowered, i)))
          << one.name << "\n"
          << to_text(one.lowered.body[i], one.lowered);
    }
  });
  EXPECT_GT(tried, 1000u);
}

/// The step after the `i`-th statement of the same rank; the end if there is none.
std::size_t next_of_same_rank(const Plan& plan, std::size_t i) {
  std::size_t next = i + 1;
  while (next < plan.body.size() && plan.body[next].by != plan.body[i].by) ++next;
  return next;
}

TEST(VerifyMutations, finds_every_pair_of_steps_swapped_where_the_first_is_awaited) {
  std::size_t tried = 0;
  for_each_small_plan([&](const Case& one) {
    if (one.algorithm->collective == Collective::barrier) return;
    for (std::size_t i = 0; i < one.lowered.body.size(); ++i) {
      const std::size_t next = next_of_same_rank(one.lowered, i);
      if (next == one.lowered.body.size()) continue;
      if (!is_awaited(one.lowered, one.lowered.body[i].by, number_of(one.lowered, i))) continue;
      Plan plan = one.lowered;
      std::swap(plan.body[i], plan.body[next]);
      ++tried;
      EXPECT_FALSE(is_proved(one, plan)) << one.name << "\n" << to_text(plan.body[i], plan);
    }
  });
  EXPECT_GT(tried, 1000u);
}

/// Values that share a line are told apart by their place in it alone.
TEST(VerifyMutations, finds_every_two_targets_and_every_two_operands_of_a_copy_mixed_up) {
  std::size_t tried = 0, in_lines = 0;
  for_each_small_plan([&](const Case& one) {
    for_each_step(one.lowered, [&](Plan& plan, std::vector<Step>& steps, std::size_t i) {
      if (steps[i].kind == StepKind::reduce) return;
      std::vector<Region>&to = steps[i].to, &from = steps[i].from;
      for (std::size_t r = 1; r < std::min(to.size(), from.size()); ++r) {
        if (from[r] == from[r - 1]) continue;  // one value in two places
        for (auto* regions : {&to, &from}) {
          std::swap((*regions)[r], (*regions)[r - 1]);
          ++tried;
          in_lines += (*regions)[r].buffer == Buffer::mailbox;
          EXPECT_FALSE(is_proved(one, plan)) << one.name << "\n" << to_text(steps[i], plan);
          std::swap((*regions)[r], (*regions)[r - 1]);
        }
      }
    });
  });
  EXPECT_GT(tried, 1000u);
  EXPECT_GT(in_lines, 100u);
}

bool is_agreed(const Case& one, const std::vector<CallContract>& contracts) {
  VerifyOptions options;
  options.root = one.root;
  return verify_contracts(one.lowered, contracts, options).ok();
}

/// Every reader of every contract in turn is left out; every `false` becomes a claim.
TEST(VerifyMutations, finds_every_reader_left_out_of_a_contract_and_every_false_claim) {
  std::size_t left_out = 0, claims = 0, of_starts = 0;
  for_each_small_plan([&](const Case& one) {
    const std::vector<CallContract> right = contracts_of(one.lowered);
    for (Rank rank = 0; rank < one.lowered.ranks; ++rank) {
      const auto try_without = [&](auto list_of) {
        for (std::size_t i = 0; i < list_of(right[rank]).size(); ++i) {
          std::vector<CallContract> wrong = right;
          auto& list = list_of(wrong[rank]);
          list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
          ++left_out;
          EXPECT_FALSE(is_agreed(one, wrong))
              << one.name << ", contract of rank " << rank << " without reader "
              << list_of(right[rank])[i] << "\n"
              << to_text(one.lowered);
        }
      };
      try_without([](auto& contract) -> auto& { return contract.scratch_readers; });
      for (std::size_t line = 0; line < right[rank].line_readers.size(); ++line)
        try_without([line](auto& contract) -> auto& { return contract.line_readers[line]; });
      const auto try_claim = [&](bool CallContract::*claim) {
        if (right[rank].*claim) return;
        std::vector<CallContract> wrong = right;
        wrong[rank].*claim = true;
        ++claims;
        EXPECT_FALSE(is_agreed(one, wrong)) << one.name << ", rank " << rank;
      };
      try_claim(&CallContract::hears_all);
      const std::size_t before = claims;
      try_claim(&CallContract::starts_alone);
      of_starts += claims - before;
    }
  });
  EXPECT_GT(left_out, 1000u);
  EXPECT_GT(claims, 100u);
  EXPECT_GT(of_starts, 100u);
}

/// Adds the calls of an algorithm over lines, to be made without asking any reader at entry.
void add_unasked(Sequences& sequences, const std::string& name, Rank ranks) {
  const Hierarchy flat = flat_hierarchy(ranks);
  const Plan plan = lower(find_algorithm(name)->write({flat, 0, 2}), Lowering::lines).value();
  std::vector<CallContract> contracts = contracts_of(plan);
  for (CallContract& contract : contracts)
    for (auto& readers : contract.line_readers) readers.clear();
  ASSERT_TRUE(sequences.add(plan, contracts));
}

/// Two slots, one for even and one for odd calls, and no waits: with allreduces alone all have
/// left the call before last. A broadcast in between breaks that, since its root hears of no rank.
TEST(VerifyMutations, finds_slots_indexed_by_call_parity) {
  for (const Rank ranks : {2u, 3u, 5u}) {
    Sequences sequences(ranks);
    add_unasked(sequences, "allreduce.all_read", ranks);
    add_unasked(sequences, "allreduce.tree", ranks);
    const auto alone = sequences.prove_triples();
    EXPECT_TRUE(alone) << alone.error().sentence;
    add_unasked(sequences, "bcast.flat", ranks);
    const auto mixed = sequences.prove_triples();
    ASSERT_FALSE(mixed);
    EXPECT_THAT(mixed.error().sentence,
                testing::ContainsRegex("write rank 0's line for .* while rank . still touches it "
                                       "for .*, with bcast.flat, .* between"));
  }
}

}  // namespace
}  // namespace terrace
