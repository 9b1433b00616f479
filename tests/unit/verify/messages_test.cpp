// SPDX-License-Identifier: BSD-3-Clause
// Messages between nodes: what is proved of them, and each fault with the sentence that names it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults.hpp"
#include "verify/sequences.hpp"
#include "verify/verify.hpp"

namespace terrace {
namespace {

using testing::HasSubstr;

/// Everybody gets rank 0's input.
Postcondition bcast(Rank ranks) {
  Postcondition result;
  for (Rank rank = 0; rank < ranks; ++rank)
    result.outputs.push_back({rank ? std::optional(Terms{{0, 0}}) : std::nullopt});
  return result;
}

/// Two nodes of two ranks: leaders exchange the sums of their nodes.
constexpr const char* kLeaders =
    "plan allreduce.leaders\nranks 4\nnodes 0-1 2-3\n"
    "0: scratch[0] = in[0] + in[1]\n"
    "2: scratch[2] = in[2] + in[3]\n"
    "0: send scratch[0] to 2\n"
    "2: send scratch[2] to 0\n"
    "0: receive scratch[0:1] from 2\n"
    "2: receive scratch[2:1] from 0\n"
    "0: out[0] = scratch[0] + scratch[0:1]\n"
    "2: out[2] = scratch[2:1] + scratch[2]\n"
    "1: out[1] = out[0]\n"
    "3: out[3] = out[2]\n";

TEST(Messages, are_proved_with_all_that_is_around_them) {
  for (const Lowering lowering : {Lowering::lines, Lowering::owner}) {
    const Plan plan = lowered(kLeaders, lowering);
    const auto proof = verify(plan, allreduce(4));
    ASSERT_TRUE(proof) << proof.error().sentence;
    EXPECT_EQ(proof.value().order, "0 + 1 + (2 + 3)");
    EXPECT_EQ(proof.value().hears_all, std::vector<bool>(4, true));  // through messages
    const auto contracts = contracts_of(plan);
    const auto agreed = verify_contracts(plan, contracts);
    EXPECT_TRUE(agreed) << agreed.error().sentence;
    Sequences sequences(4);
    ASSERT_TRUE(sequences.add(plan, contracts));
    EXPECT_TRUE(sequences.prove_triples());
  }
}

/// Without messages ranks of one node know nothing of the others.
TEST(Messages, tell_who_has_entered) {
  const Plan plan = lowered(
      "plan bcast.a\nranks 3\nnodes 0-1 2\n0: send in[0] to 2\n2: receive out[2] from 0\n"
      "1: out[1] = in[0]\n",
      Lowering::lines);
  const auto proof = verify(plan, bcast(3));
  ASSERT_TRUE(proof) << proof.error().sentence;
  EXPECT_EQ(proof.value().hears_all, std::vector<bool>(3, false));
}

/// The wait of rank `by` for its own messages in the `i`-th of its steps that has one is dropped.
Plan without_own_wait(Plan plan, Rank by) {
  for (auto* steps : {&plan.body, &plan.closing})
    for (Step& step : *steps)
      for (std::size_t w = 0; w < step.waits.size(); ++w)
        if (step.by == by && step.waits[w].rank == by) {
          step.waits.erase(step.waits.begin() + static_cast<std::ptrdiff_t>(w));
          return plan;
        }
  ADD_FAILURE() << "no such wait in\n" << to_text(plan);
  return plan;
}

TEST(Messages, must_have_gone_when_their_sender_returns) {
  for (const Lowering lowering : {Lowering::lines, Lowering::owner}) {
    Plan plan =
        lowered("plan bcast.a\nranks 2\nnodes 0 1\n0: send in[0] to 1\n1: receive out[1] from 0\n",
                lowering);
    EXPECT_EQ(fault(plan, bcast(2)), "none");
    EXPECT_THAT(fault(without_own_wait(plan, 0), bcast(2)),
                testing::ContainsRegex("rank 0's step 1 `0: send in.0. to 1`.* may still be on its "
                                       "way when rank 0 returns to its caller"));
  }
}

constexpr const char* kTwice =
    "plan bcast.a\nranks 2\nnodes 0 1\n0: scratch[0] = in[0]\n0: send scratch[0] to 1\n"
    "1: receive scratch[1] from 0\n0: scratch[0] = in[0]\n0: send scratch[0] to 1\n"
    "1: receive out[1] from 0\n";

TEST(Messages, are_not_read_from_memory_that_is_written_again) {
  const Plan plan = lowered(kTwice, Lowering::owner);
  EXPECT_EQ(fault(plan, bcast(2)), "none");
  Plan hasty = plan;
  for (Step& step : hasty.body)
    if (step.by == 0 && step.kind == StepKind::reduce)
      std::erase_if(step.waits, [](const Wait& wait) { return wait.lag == 0; });
  EXPECT_THAT(fault(hasty, bcast(2)),
              HasSubstr("race: the message of rank 0's step 2 `0: send scratch[0] to 1` of strip 0 "
                        "reads scratch[0] and rank 0's step 3"));
  // The next strip but one takes the same slot of scratch.
  Plan hasty_later = lowered(
      "plan bcast.a\nranks 2\nnodes 0 1\n0: scratch[0] = in[0]\n0: send scratch[0] to 1\n"
      "1: receive out[1] from 0\n",
      Lowering::owner);
  EXPECT_EQ(fault(hasty_later, bcast(2)), "none");
  for (Step& step : hasty_later.body)
    if (step.by == 0 && step.kind == StepKind::reduce)
      std::erase_if(step.waits, [](const Wait& wait) { return wait.lag != 0; });
  EXPECT_THAT(fault(hasty_later, bcast(2)), HasSubstr("race: the message of rank 0's step"));
}

TEST(Messages, come_in_halves_that_fit) {
  const std::string head = "plan bcast.a\nranks 2\ntiles 2\nnodes 0 1\n";
  EXPECT_THAT(fault(lowered(head + "0: send in[0] to 1\n", Lowering::owner), bcast(2)),
              HasSubstr("rank 0 sends rank 1 1 message in each strip, of which rank 1 receives 0"));
  EXPECT_THAT(fault(lowered(head + "0: send in[0.0], in[0.1] to 1\n"
                                   "1: receive out[1.1], out[1.0] from 0\n",
                            Lowering::owner),
                    bcast(2)),
              HasSubstr("are halves of one message, with different values or tiles"));
  EXPECT_THAT(fault(lowered(head + "0: send in[0.0], in[0.1] to 1\n"
                                   "1: receive out[1.0] from 0\n",
                            Lowering::owner),
                    bcast(2)),
              HasSubstr("are halves of one message, with different values or tiles"));
}

TEST(Messages, of_one_rank_to_another_come_in_order) {
  const std::string head = "plan bcast.a\nranks 2\ntiles 2\nnodes 0 1\n";
  EXPECT_EQ(fault(lowered(head + "0: send in[0.0] to 1\n0: send in[0.1] to 1\n"
                                 "1: receive out[1.0] from 0\n1: receive out[1.1] from 0\n",
                          Lowering::owner),
                  bcast(2)),
            "none");
  EXPECT_THAT(fault(lowered(head + "0: send in[0.0] to 1\n0: send in[0.1] to 1\n"
                                   "1: receive out[1.1] from 0\n1: receive out[1.0] from 0\n",
                            Lowering::owner),
                    bcast(2)),
              HasSubstr("halves of one message"));
}

/// Each waits for the other's message before it sends its own. One thread could not run that
/// either, so only a plan that is lowered by hand gets so far.
TEST(Messages, that_wait_for_each_other_are_a_deadlock) {
  const std::string text =
      "plan allreduce.a\nranks 2\nnodes 0 1\nlowering lines\nscratch 1\n"
      "0: receive scratch[0] from 1\n1: receive scratch[1] from 0\n"
      "0: send in[0] to 1\n1: send in[1] to 0\n"
      "0: out[0] = in[0] + scratch[0]\n1: out[1] = scratch[1] + in[1]\n"
      "closing\n0: hold after 0:2\n1: hold after 1:2\n";
  EXPECT_THAT(fault(parsed(text), allreduce(2)),
              HasSubstr("deadlock: rank 0's step 1 `0: receive scratch[0] from 1` waits for rank "
                        "1's step 2 `1: send in[1] to 0`, and "));
}

/// Synchronous sends: a rank that waits for its message before it takes the peer's.
TEST(Messages, that_have_to_go_before_the_peers_are_taken_are_a_deadlock) {
  const std::string text =
      "plan allreduce.a\nranks 2\nnodes 0 1\nlowering lines\nscratch 1\n"
      "0: send in[0] to 1\n1: send in[1] to 0\n"
      "0: receive scratch[0] from 1 after 0:1\n1: receive scratch[1] from 0 after 1:1\n"
      "0: out[0] = in[0] + scratch[0]\n1: out[1] = scratch[1] + in[1]\n"
      "closing\n0: hold after 0:1\n1: hold after 1:1\n";
  EXPECT_THAT(fault(parsed(text), allreduce(2)),
              HasSubstr("deadlock: rank 0's step 2 `0: receive scratch[0] from 1 after 0:1` waits "
                        "for rank 1's step 2"));
}

}  // namespace
}  // namespace terrace
