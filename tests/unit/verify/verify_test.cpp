// SPDX-License-Identifier: BSD-3-Clause
// What each fault is called: small plans with one fault each, and the sentence that names it.
#include "verify/verify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults.hpp"

namespace terrace {
namespace {

using testing::HasSubstr;

/// Only `receiver` gets something: the sum of the terms.
Postcondition gives(Rank ranks, Rank receiver, const Terms& terms) {
  Postcondition result;
  result.outputs.assign(ranks, {std::nullopt});
  result.outputs[receiver][0] = terms;
  return result;
}

constexpr const char* kTree = R"(
plan allreduce.tree
ranks 3
0: out[0] = in[0] + in[1] + in[2]
1: out[1] = out[0]
2: out[2] = out[0]
)";

TEST(Verify, says_in_which_order_the_last_rank_of_a_scan_combines) {
  Postcondition scan;
  for (Rank rank = 0; rank < 3; ++rank) scan.outputs.push_back({all_inputs(rank + 1)});
  const auto proof =
      verify(lowered("plan scan.chain\nranks 3\n0: out[0] = in[0]\n1: scratch[1] = out[0] + in[1]\n"
                     "1: out[1] = scratch[1]\n2: out[2] = scratch[1] + in[2]\n",
                     Lowering::owner),
             scan);
  ASSERT_TRUE(proof) << proof.error().sentence;
  EXPECT_EQ(proof.value().order, "0 + 1 + 2");
}

/// Rank 2 waits for rank 0, who has heard of rank 1, where it is direct alone.
TEST(Verify, finds_a_wait_missing_that_others_imply_for_direct_ranks_alone) {
  Plan plan = lowered(
      "plan a\nranks 3\n1: out[1] = in[1]\n0: out[0] = in[2] + out[1]\n"
      "2: out[2] = out[1]\n",
      Lowering::owner);
  const Terms middle = {{1, 0}}, both = {{1, 0}, {2, 0}};
  const Postcondition promise = {{{both}, {middle}, {middle}}};
  EXPECT_EQ(fault(plan, promise), "none");
  Step& last = plan.body.back();
  ASSERT_EQ(last.waits.size(), 2u);
  ASSERT_EQ(last.waits.front().when, When::if_direct);
  ASSERT_EQ(last.waits.back().when, When::always);
  last.waits.pop_back();
  EXPECT_THAT(fault(plan, promise), HasSubstr("rank 2"));
}

/// Two pairs of ranks that exchange values, each for itself.
TEST(Verify, finds_ranks_that_would_not_be_told_that_their_calls_differ) {
  const Terms first = {{0, 0}}, third = {{2, 0}};
  const Postcondition promise = {{{first}, {first}, {third}, {third}}};
  constexpr const char* kPairs =
      "plan a\nranks 4\n0: out[0] = in[0]\n2: out[2] = in[2]\n1: out[1] = out[0]\n"
      "3: out[3] = out[2]\n";
  EXPECT_THAT(fault(lowered(kPairs, Lowering::owner), promise),
              HasSubstr("no rank would notice if rank 2 made another call than rank 0"));
  const Terms both = {{0, 0}, {2, 0}};
  const Postcondition joined = {{{first}, {both}, {third}, {third}}};
  EXPECT_EQ(fault(lowered("plan a\nranks 4\n0: out[0] = in[0]\n2: out[2] = in[2]\n"
                          "1: out[1] = out[0] + out[2]\n3: out[3] = out[2]\n",
                          Lowering::owner),
                  joined),
            "none");
}

/// Each block of an output takes the place of the input's block of the same number.
TEST(Verify, finds_blocks_that_are_overwritten_in_place_while_peers_need_them) {
  constexpr const char* kAlltoall =
      "plan alltoall.hasty\nranks 2\n0: out[0] = in[0]\n0: out[0:1] = in[1]\n"
      "1: out[1] = in[0:1]\n1: out[1:1] = in[1:1]\n";
  Postcondition alltoall;
  alltoall.outputs = {{Terms{{0, 0}}, Terms{{1, 0}}}, {Terms{{0, 1}}, Terms{{1, 1}}}};
  EXPECT_THAT(fault(lowered(kAlltoall, Lowering::owner), alltoall),
              testing::AllOf(HasSubstr("out[1] of strip 0 ends up with in[1] instead of in[0:1]"),
                             HasSubstr("in place on all ranks")));
  EXPECT_EQ(fault(lowered(kAlltoall, Lowering::lines), alltoall), "none");
  // Numbered otherwise, an allgather's input would not be where MPI's in place puts it.
  EXPECT_THAT(
      fault(lowered("plan allgather.hasty\nranks 2\n0: out[0] = in[0]\n0: out[0:1] = in[1]\n"
                    "1: out[1] = in[0]\n1: out[1:1] = in[1]\n",
                    Lowering::owner),
            {{{Terms{{0, 0}}, Terms{{1, 0}}}, {Terms{{0, 0}}, Terms{{1, 0}}}}}),
      HasSubstr("in place on"));
}

TEST(Verify, says_what_it_proved) {
  const auto proof = verify(lowered(kTree, Lowering::owner), allreduce(3));
  ASSERT_TRUE(proof) << proof.error().sentence;
  EXPECT_EQ(proof.value().order, "0 + 1 + 2");
  EXPECT_TRUE(proof.value().combines_in_rank_order);
  EXPECT_EQ(proof.value().hears_all, std::vector<bool>({true, true, true}));
  EXPECT_EQ(proof.value().most_strips, 5u);
  EXPECT_EQ(proof.value().aliasings, 4u);
  EXPECT_GE(proof.value().reach_assignments, 8u);
  EXPECT_GT(proof.value().accesses, 1000u);
}

TEST(Verify, tells_which_ranks_hear_from_all) {
  const char* text = "plan reduce.flat\nranks 3\n0: out[0] = in[0] + in[1] + in[2]\n";
  const auto proof = verify(lowered(text, Lowering::lines), gives(3, 0, all_inputs(3)));
  ASSERT_TRUE(proof) << proof.error().sentence;
  EXPECT_EQ(proof.value().hears_all, std::vector<bool>({true, false, false}));
}

/// Who forwards does so after a wait; who only gives, or only takes, owes nothing once it has
/// started.
TEST(Verify, tells_which_ranks_start_alone) {
  const char* text =
      "plan bcast.chain\nranks 3\n0: out[0] = in[0]\n1: out[1] = in[0]\n2: out[2] = out[1]\n";
  for (const Lowering lowering : {Lowering::lines, Lowering::owner}) {
    const Terms first = {{0, 0}};
    const auto proof = verify(lowered(text, lowering), {{{first}, {first}, {first}}});
    ASSERT_TRUE(proof) << proof.error().sentence;
    EXPECT_EQ(proof.value().starts_alone, std::vector<bool>({true, false, true}));
  }
}

TEST(Verify, tells_orders_apart) {
  const char* text = "plan reduce.other\nranks 3\n0: out[0] = in[0] + in[2] + in[1]\n";
  const auto proof = verify(lowered(text, Lowering::lines), gives(3, 0, all_inputs(3)));
  ASSERT_TRUE(proof) << proof.error().sentence;
  EXPECT_EQ(proof.value().order, "0 + 2 + 1");
  EXPECT_FALSE(proof.value().combines_in_rank_order);
  const auto tree = verify(lowered(kTree, Lowering::lines), allreduce(3));
  EXPECT_NE(proof.value().order_id, tree.value().order_id);
}

TEST(Verify, names_a_term_that_is_missing_or_doubled) {
  const char* missing = "plan a\nranks 3\n0: out[0] = in[0] + in[2]\n";
  EXPECT_THAT(fault(lowered(missing, Lowering::lines), gives(3, 0, all_inputs(3))),
              HasSubstr("out[0] of strip 0 ends up with in[0] + in[2] instead of"));
  const char* doubled = "plan a\nranks 2\n0: out[0] = in[0] + in[1] + in[1]\n";
  EXPECT_THAT(fault(lowered(doubled, Lowering::owner), gives(2, 0, all_inputs(2))),
              HasSubstr("ends up with in[0] + in[1] + in[1] instead of in[0] + in[1]"));
}

TEST(Verify, names_an_output_that_is_never_written) {
  const char* text = "plan a\nranks 2\n0: out[0] = in[0] + in[1]\n";
  EXPECT_THAT(fault(lowered(text, Lowering::lines), allreduce(2)),
              HasSubstr("out[1] of strip 0 is never written"));
}

TEST(Verify, names_ranks_that_round_differently) {
  const char* text =
      "plan a\nranks 2\n0: scratch[0] = in[0]\n1: scratch[1] = in[1]\n"
      "0: out[0] = scratch[0] + scratch[1]\n1: out[1] = scratch[1] + scratch[0]\n";
  EXPECT_THAT(fault(lowered(text, Lowering::owner), allreduce(2)),
              HasSubstr("out[1] ends up with 1 + 0, rank 0 with 0 + 1, which rounds differently"));
}

TEST(Verify, names_a_plan_that_does_not_bear_calls_in_place) {
  const char* text = "plan a\nranks 2\n0: out[0] = in[0] + in[1]\n1: out[1] = in[0] + in[1]\n";
  EXPECT_THAT(fault(lowered(text, Lowering::owner), allreduce(2)), HasSubstr("in place on"));
}

/// What such a plan says is believed of all steps, and proved of those who are not in place.
TEST(Verify, plays_ranks_in_place_bounced_where_a_plan_says_so) {
  const std::string steps = "0: out[0] = in[0] + in[1]\n1: out[1] = in[0] + in[1]\n";
  const Plan plan =
      lowered(("plan a\nranks 2\nin_place bounced\n" + steps).c_str(), Lowering::owner);
  EXPECT_EQ(fault(plan, allreduce(2)), "none");
  Plan silent = plan;
  silent.bounces_in_place = false;
  EXPECT_THAT(fault(silent, allreduce(2)), HasSubstr("in place on"));
  Plan hasty = plan;  // who is not in place must not return while the other may read
  for (Step& step : hasty.closing) step.waits.clear();
  EXPECT_THAT(fault(hasty, allreduce(2)), HasSubstr("direct on"));
}

TEST(Verify, names_a_rank_without_the_buffer_that_is_used) {
  const char* writes = "plan a\nranks 2\n1: out[1] = in[1]\n0: out[0] = in[0] + out[1]\n";
  EXPECT_THAT(fault(lowered(writes, Lowering::owner), gives(2, 0, all_inputs(2))),
              HasSubstr("writes out[1], but this collective gives rank 1 no such output"));
  const char* reads = "plan a\nranks 3\n1: out[1] = in[2]\n";
  EXPECT_THAT(fault(lowered(reads, Lowering::owner), gives(3, 1, {{0, 0}})),
              HasSubstr("reads in[2], which holds nothing of this call"));
}

TEST(Verify, names_a_rank_that_may_leave_a_barrier_early) {
  Postcondition barrier = gives(3, 0, {});
  barrier.outputs[0][0].reset();
  barrier.all_hear = true;
  const char* text =
      "plan barrier.broken\nranks 3\n0: out[0] = in[0] + in[1]\n"
      "1: out[1] = out[0]\n2: out[2] = out[0]\n";
  EXPECT_THAT(fault(lowered(text, Lowering::lines), barrier),
              HasSubstr("rank 0 may return before rank 2 has entered"));
}

TEST(Verify, names_the_ranks_of_a_deadlock) {
  const Plan plan = parsed(
      "plan a\nranks 2\nlowering lines\nlines 1\n"
      "0: line[0] = in[0] after 1:1\n1: line[1] = in[1] after 0:1\n");
  EXPECT_THAT(fault(plan, gives(2, 0, {{0, 0}})),
              HasSubstr("deadlock: rank 0's step 1 `0: line[0] = in[0] after 1:1` waits for rank "
                        "1's step 1 `1: line[1] = in[1] after 0:1`, and rank 1's step 1"));
}

TEST(Verify, names_a_line_that_is_read_without_waiting) {
  Plan plan = lowered(kTree, Lowering::lines);
  for (Step& step : plan.body)
    if (step.by == 2 && step.kind == StepKind::reduce) step.waits.clear();
  EXPECT_THAT(
      fault(plan, allreduce(3)),
      HasSubstr("rank 2's step 2 `2: out[2] = line[0]` reads line[0], which holds nothing"));
}

TEST(Verify, names_a_ring_slot_that_is_reused_too_early) {
  Plan plan = lowered("plan bcast.flat\nranks 2\n1: out[1] = in[0]\n", Lowering::owner);
  for (Step& step : plan.body)
    if (step.kind == StepKind::expose) step.waits.clear();
  EXPECT_THAT(fault(plan, gives(2, 1, {{0, 0}})),
              testing::AllOf(HasSubstr("of strip 2 writes the stand-in of in[0] and rank 1's"),
                             HasSubstr("of strip 0 reads it, and no wait orders them"),
                             HasSubstr("bounced on all ranks")));
}

TEST(Verify, names_a_buffer_that_is_touched_before_it_is_exposed) {
  Plan plan = lowered(kTree, Lowering::owner);
  for (Step& step : plan.body)
    if (step.by == 0 && step.kind == StepKind::reduce) step.waits.clear();
  EXPECT_THAT(fault(plan, allreduce(3)), HasSubstr("without waiting for its owner to expose it"));
}

// The HMPI code published with the paper: the root stores its release flags and returns, while
// others are still copying out of its receive buffer.
TEST(Verify, finds_the_race_in_the_code_published_with_the_paper) {
  Plan plan = lowered(kTree, Lowering::owner);
  std::erase_if(plan.closing, [](const Step& step) { return step.by == 0; });
  EXPECT_THAT(fault(plan, allreduce(3)),
              testing::AllOf(HasSubstr("race: rank 0 returns to its caller while rank "),
                             HasSubstr("may still be reading out[0]"), HasSubstr("direct on")));
}

TEST(Verify, refuses_a_plan_that_is_not_lowered_or_needs_too_many_lines) {
  EXPECT_THAT(fault(parsed(kTree), allreduce(3)), HasSubstr("is not lowered"));
  Plan plan = lowered(kTree, Lowering::lines);
  plan.lines = 17;
  EXPECT_THAT(fault(plan, allreduce(3)), HasSubstr("uses 17 lines a call, of 16 there are"));
}

TEST(VerifyContracts, names_what_a_contract_leaves_out) {
  const Plan plan = lowered("plan bcast.flat\nranks 2\n1: out[1] = in[0]\n", Lowering::lines);
  std::vector<CallContract> contracts = contracts_of(plan);
  EXPECT_EQ(contracts[0].line_readers, std::vector<std::vector<Rank>>({{1}}));
  contracts[0].line_readers[0].clear();
  const auto left_out = verify_contracts(plan, contracts);
  ASSERT_FALSE(left_out);
  EXPECT_THAT(left_out.error().sentence,
              HasSubstr("the contract of rank 0 leaves out that rank 1 may still be reading its "
                        "line 0 when it returns"));
  contracts = contracts_of(plan);
  contracts[0].hears_all = true;
  EXPECT_THAT(verify_contracts(plan, contracts).error().sentence,
              HasSubstr("may return before rank 1 has entered"));
  const Plan chain = lowered("plan bcast.chain\nranks 3\n1: out[1] = in[0]\n2: out[2] = out[1]\n",
                             Lowering::lines);
  contracts = contracts_of(chain);
  EXPECT_TRUE(verify_contracts(chain, contracts));
  EXPECT_FALSE(all_start_alone(chain));
  contracts[1].starts_alone = true;
  EXPECT_THAT(verify_contracts(chain, contracts).error().sentence,
              testing::AllOf(HasSubstr("claims that it starts alone, but rank 2"),
                             HasSubstr("which comes after a wait of rank 1")));
}

}  // namespace
}  // namespace terrace
