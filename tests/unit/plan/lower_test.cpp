// SPDX-License-Identifier: BSD-3-Clause
// What lowering makes of small plans, step by step; that it is right is proved in verify/.
#include "plan/lower.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/call_contract.hpp"
#include "plan/rank_program.hpp"

namespace terrace {
namespace {

using testing::HasSubstr;

Plan lowered(const std::string& text, Lowering lowering, std::uint32_t ring = 2,
             std::uint32_t pockets = 1) {
  const auto plan = plan_from_text(text);
  EXPECT_TRUE(plan) << plan.error().sentence;
  auto result = lower(plan.value(), lowering, ring, pockets);
  EXPECT_TRUE(result) << result.error().sentence;
  return result.value();
}

std::vector<std::string> steps_of(const Plan& plan) {
  std::vector<std::string> result;
  for (const auto* steps : {&plan.body, &plan.closing})
    for (const Step& step : *steps) result.push_back(to_text(step, plan));
  return result;
}

constexpr const char* kTree =
    "plan allreduce.tree\nranks 3\n0: out[0] = in[0] + in[1] + in[2]\n"
    "1: out[1] = out[0]\n2: out[2] = out[0]\n";

TEST(LowerToLines, gives_each_shared_value_one_line) {
  EXPECT_THAT(
      steps_of(lowered(kTree, Lowering::lines)),
      testing::ElementsAre("1: expose line[1] = in[1]", "2: expose line[2] = in[2]",
                           "0: line[0], out[0] = in[0] + line[1] + line[2] after 1:1 2:1",
                           "1: out[1] = line[0] after 0:1", "2: out[2] = line[0] after 0:1"));
}

TEST(LowerToLines, carries_a_value_that_two_blocks_share_in_one_line) {
  const Plan plan = lowered(
      "plan a\nranks 2\n0: scratch[0], out[0] = in[0]\n"
      "1: out[1] = scratch[0] + out[0]\n",
      Lowering::lines);
  EXPECT_EQ(plan.lines, 1);
  EXPECT_EQ(plan.scratch_blocks, 0);
  EXPECT_EQ(steps_of(plan).back(), "1: out[1] = line[0] + line[0] after 0:1");
}

/// Ranks 0 and 1 on one node, 2 and 3 on the other.
constexpr const char* kAcross =
    "plan bcast.a\nranks 4\nnodes 0-1 2-3\n0: send in[0] to 2\n2: receive out[2] from 0\n"
    "1: out[1] = in[0]\n3: out[3] = out[2]\n";

TEST(LowerToLines, lets_a_message_arrive_in_a_line_where_others_read_it) {
  EXPECT_THAT(steps_of(lowered(kAcross, Lowering::lines)),
              testing::ElementsAre("0: expose line[0] = in[0]", "0: send in[0] to 2",
                                   "2: receive line[2] from 0", "2: copy out[2] = line[2]",
                                   "1: out[1] = line[0] after 0:1", "3: out[3] = line[2] after 2:1",
                                   "0: hold after 0:2"));
}

TEST(LowerToOwner, lets_a_message_arrive_where_others_read_it) {
  EXPECT_THAT(
      steps_of(lowered(kAcross, Lowering::owner)),
      testing::ElementsAre("0: expose exposed[0] = in[0] after 1:1@2?bounced",
                           "2: expose exposed[2:1] after 3:1@2?bounced", "0: send in[0] to 2",
                           "2: receive exposed[2:1] from 0", "1: out[1] = exposed[0] after 0:1",
                           "3: out[3] = exposed[2:1] after 2:2", "2: deliver out[2] = exposed[2:1]",
                           "0: hold after 1:1?direct 0:2", "2: hold after 3:1?direct"));
}

/// Peers read tile 0 alone, but the owner finds the block in one place.
TEST(LowerToOwner, keeps_together_what_arrives_of_a_block) {
  EXPECT_THAT(
      steps_of(lowered("plan a\nranks 3\ntiles 2\nnodes 0 1-2\n"
                       "0: send in[0.0] to 1\n1: receive out[1.0] from 0\n"
                       "0: send in[0.1] to 1\n1: receive out[1.1] from 0\n"
                       "2: out[2.0] = out[1.0]\n",
                       Lowering::owner)),
      testing::IsSupersetOf({"1: receive exposed[1.0] from 0", "1: receive exposed[1.1] from 0",
                             "1: deliver out[1] = exposed[1]"}));
}

TEST(LowerToOwner, waits_until_messages_have_gone_before_it_writes_what_they_are_read_from) {
  EXPECT_THAT(steps_of(lowered("plan a\nranks 2\nnodes 0 1\n0: scratch[0] = in[0]\n"
                               "0: send scratch[0] to 1\n1: receive out[1] from 0\n"
                               "0: scratch[0] = in[0] + in[0]\n0: out[0] = scratch[0]\n",
                               Lowering::owner)),
              testing::ElementsAre(
                  "0: scratch[0] = in[0]", "0: send scratch[0] to 1", "1: receive out[1] from 0",
                  "0: scratch[0] = in[0] + in[0] after 0:2", "0: out[0] = scratch[0]", "0: hold"));
}

TEST(LowerToOwner, refuses_an_exchange_in_one_place) {
  const auto plan = plan_from_text(
      "plan a\nranks 2\nnodes 0 1\n0: send scratch[0] to 1\n1: send scratch[1] to 0\n"
      "0: receive scratch[0] from 1\n1: receive scratch[1] from 0\n");
  EXPECT_THAT(lower(plan.value(), Lowering::owner).error().sentence,
              HasSubstr("lets `0: receive scratch[0] from 1 after 0:1` write what `0: send "
                        "scratch[0] to 1` is read from before rank 1 receives it"));
}

TEST(LowerToOwner, refuses_a_peers_write_to_what_has_been_sent) {
  const auto plan = plan_from_text(
      "plan a\nranks 3\nnodes 0-1 2\n0: send in[0] to 2\n2: receive out[2] from 0\n"
      "1: out[0] = in[1]\n");
  EXPECT_THAT(lower(plan.value(), Lowering::owner).error().sentence,
              HasSubstr("lets a peer write in[0] when rank 0 has sent it"));
}

constexpr const char* kScatter =
    "plan scatter.a\nranks 4\n1: out[1] = in[0:1]\n2: out[2] = in[0:2]\n3: out[3] = in[0:3]\n";

TEST(LowerToLines, packs_what_a_rank_brings_into_as_few_lines_as_have_room) {
  EXPECT_THAT(
      steps_of(lowered(kScatter, Lowering::lines, 2, 2)),
      testing::ElementsAre("0: expose line[0], line[0:1] = in[0:1], in[0:2]",
                           "0: expose line[0:2] = in[0:3]", "1: out[1] = line[0] after 0:1",
                           "2: out[2] = line[0:1] after 0:1", "3: out[3] = line[0:2] after 0:2"));
  EXPECT_EQ(lowered(kScatter, Lowering::lines, 2, 2).lines, 2);
  const Plan roomy = lowered(kScatter, Lowering::lines, 2, 14);
  EXPECT_EQ(roomy.lines, 1);
  EXPECT_EQ(roomy.pockets, 3);  // no more than are ever filled
}

TEST(LowerToLines, packs_what_a_step_copies_for_others_and_nothing_else) {
  const Plan plan = lowered(
      "plan a\nranks 2\n0: copy scratch[0], out[0], scratch[0:1], out[0:1] = "
      "in[0], scratch[0], in[0:1], in[0:2]\n"
      "0: scratch[0:2] = in[0] + in[0:1]\n"
      "1: copy out[1], out[1:1], out[1:2] = scratch[0], scratch[0:1], scratch[0:2]\n",
      Lowering::lines, 2, 4);
  EXPECT_THAT(steps_of(plan),
              testing::ElementsAre(
                  "0: copy line[0], out[0], line[0:1], out[0:1] = in[0], line[0], in[0:1], in[0:2]",
                  "0: line[0:2] = in[0] + in[0:1]",
                  "1: copy out[1], out[1:1], out[1:2] = line[0], line[0:1], line[0:2] after 0:2"));
  EXPECT_EQ(plan.pockets, 2);
  EXPECT_EQ(plan.lines, 2);
}

TEST(LowerToLines, waits_for_no_earlier_strip) {
  const Plan plan = lowered(
      "plan a\nranks 2\n0: scratch[0] = in[0]\n1: scratch[1] = in[1]\n"
      "0: scratch[0:1] = in[0]\n0: out[0] = scratch[1] + scratch[0:1]\n"
      "1: out[1] = scratch[0] + scratch[1]\n",
      Lowering::lines);
  for (const Step& step : plan.body)
    for (const Wait& wait : step.waits) EXPECT_EQ(wait.lag, 0u) << to_text(step, plan);
}

TEST(LowerToLines, refuses_tiles_and_writing_into_peers) {
  const Plan tiled = plan_from_text("plan a\nranks 2\ntiles 2\n0: out[0] = in[1]\n").value();
  EXPECT_THAT(lower(tiled, Lowering::lines).error().sentence, HasSubstr("into tiles"));
  const Plan pushes = plan_from_text("plan a\nranks 2\n0: out[1] = in[0]\n").value();
  EXPECT_THAT(lower(pushes, Lowering::lines).error().sentence, HasSubstr("peer's memory"));
}

TEST(LowerToLines, refuses_scratch_that_nobody_has_written_yet) {
  for (const char* rest : {"", "0: scratch[0] = in[0]\n"}) {
    const auto plan = plan_from_text("plan scan.early\nranks 2\n1: out[1] = scratch[0] + in[1]\n" +
                                     std::string(rest) + "0: out[0] = in[0]\n")
                          .value();
    const auto lowered = lower(plan, Lowering::lines);
    ASSERT_FALSE(lowered.ok());
    EXPECT_THAT(lowered.error().sentence,
                HasSubstr("a peer read scratch[0] before rank 0 has written it"));
  }
}

TEST(LowerToOwner, exposes_what_peers_touch_and_holds_it_until_they_are_done) {
  EXPECT_THAT(
      steps_of(lowered("plan bcast.flat\nranks 3\n1: out[1] = in[0]\n2: out[2] = in[0]\n",
                       Lowering::owner)),
      testing::ElementsAre("0: expose exposed[0] = in[0] after 1:1@2?bounced 2:1@2?bounced",
                           "1: out[1] = exposed[0] after 0:1", "2: out[2] = exposed[0] after 0:1",
                           "0: hold after 1:1?direct 2:1?direct"));
}

// Only where rank 2 is direct does it wait for rank 0, who has read its input by then: then this
// tells of rank 1, too, else nothing does.
TEST(LowerToOwner, keeps_a_wait_that_others_imply_for_direct_ranks_alone) {
  EXPECT_THAT(steps_of(lowered("plan a\nranks 3\n1: out[1] = in[1]\n0: out[0] = in[2] + out[1]\n"
                               "2: out[2] = out[1]\n",
                               Lowering::owner)),
              testing::Contains("2: out[2] = exposed[1] after 0:1?direct 1:2"));
}

TEST(LowerToOwner, shares_a_bounce_block_among_blocks_that_no_rank_shows_both_of) {
  const Plan plan = lowered(
      "plan a\nranks 3\n1: out[1] = in[0]\n0: out[0:1] = in[1:1]\n0: out[0:2] = in[1:2]\n"
      "2: out[2] = in[0]\n2: out[2:3] = in[2:3]\n0: out[0:3] = in[2:3]\n",
      Lowering::owner);
  EXPECT_THAT(to_text(plan), HasSubstr("exposure in:0 scratch 0\nexposure in:1 scratch 0\n"
                                       "exposure in:2 scratch 1\nexposure in:3 scratch 0\n"));
  EXPECT_EQ(plan.scratch_blocks, 2);
  EXPECT_EQ(program_of(plan, 0).bounce_blocks, 2);
}

TEST(LowerToOwner, waits_for_all_peers_of_a_copy_at_once) {
  EXPECT_THAT(
      steps_of(lowered("plan a\nranks 3\n0: copy out[0:1], out[0:2] = in[1:1], in[2:2]\n",
                       Lowering::owner)),
      testing::ElementsAre("1: expose exposed[1] = in[1:1] after 0:1@2?bounced",
                           "2: expose exposed[2:1] = in[2:2] after 0:1@2?bounced",
                           "0: copy out[0:1], out[0:2] = exposed[1], exposed[2:1] after 1:1 2:1",
                           "1: hold after 0:1?direct", "2: hold after 0:1?direct"));
}

TEST(LowerToOwner, mirrors_each_pair_of_a_copy_that_peers_read) {
  EXPECT_THAT(to_text(lowered("plan a\nranks 2\n0: copy out[0], out[0:1] = in[0:2], in[0:3]\n"
                              "1: out[1] = out[0:1]\n",
                              Lowering::owner)),
              HasSubstr("0: copy out[0], out[0:1], exposed[0] = in[0:2], in[0:3], in[0:3]\n"));
}

TEST(LowerToOwner, delivers_what_peers_wrote) {
  EXPECT_THAT(steps_of(lowered("plan a\nranks 2\n0: out[1] = in[0]\n", Lowering::owner)),
              testing::ElementsAre("1: expose exposed[1]", "0: exposed[1] = in[0] after 1:1",
                                   "1: deliver out[1] = exposed[1] after 0:1", "1: hold"));
}

TEST(LowerToOwner, mirrors_what_an_owner_stores_to_a_block_that_is_pushed_to) {
  const Plan plan = lowered(
      "plan a\nranks 2\ntiles 2\n0: out[1.0] = in[0.0]\n"
      "1: out[1.1] = in[1.1]\n1: out[1.0] = in[1.0]\n",
      Lowering::owner);
  EXPECT_THAT(to_text(plan), HasSubstr("1: out[1.1], exposed[1.1] = in[1.1]"));
  EXPECT_THAT(to_text(plan), HasSubstr("1: out[1.0], exposed[1.0] = in[1.0]"));
}

TEST(LowerToOwner, keeps_the_ring_in_the_lag) {
  const char* text = "plan bcast.flat\nranks 2\n1: out[1] = in[0]\n";
  EXPECT_THAT(to_text(lowered(text, Lowering::owner, 5)), HasSubstr("1:1@5?bounced"));
}

TEST(Lower, refuses_what_is_lowered_already) {
  const Plan plan = lowered(kTree, Lowering::lines);
  EXPECT_THAT(lower(plan, Lowering::owner).error().sentence, HasSubstr("already lowered"));
}

TEST(Contracts, count_only_what_a_call_of_one_strip_hears) {
  // Rank 1 waits for rank 0 only before it reuses its scratch, so never in a short call.
  const Plan plan = lowered(
      "plan reduce.a\nranks 2\n1: scratch[1] = in[1]\n"
      "0: out[0] = in[0] + scratch[1]\n",
      Lowering::owner);
  EXPECT_THAT(to_text(plan), HasSubstr("1: scratch[1] = in[1] after 0:1@2"));
  const std::vector<CallContract> contracts = contracts_of(plan);
  EXPECT_TRUE(contracts[0].hears_all);
  EXPECT_FALSE(contracts[1].hears_all);
  EXPECT_EQ(contracts[1].scratch_readers, std::vector<Rank>({0}));
}

TEST(Contracts, count_who_looks_at_a_line_only_in_order_to_wait) {
  const Plan plan = plan_from_text(
                        "plan a\nranks 2\nlowering lines\nlines 2\n"
                        "0: line[0], line[0:1] = in[0]\n"
                        "1: out[1] = line[0] after 0:1\n")
                        .value();
  const std::vector<CallContract> contracts = contracts_of(plan);
  EXPECT_EQ(contracts[0].line_readers, std::vector<std::vector<Rank>>({{1}, {1}}));
}

TEST(Contracts, speak_of_lines_however_many_values_they_carry) {
  const std::vector<CallContract> contracts =
      contracts_of(lowered(kScatter, Lowering::lines, 2, 2));
  EXPECT_EQ(contracts[0].line_readers, std::vector<std::vector<Rank>>({{1, 2}, {3}}));
}

TEST(Parts, find_the_pocket_of_a_line) {
  const RankProgram part = program_of(lowered(kScatter, Lowering::lines, 2, 2), 2);
  EXPECT_EQ(part.operands[0].block, 0);
  EXPECT_EQ(part.operands[0].pocket, 1);
  EXPECT_EQ(program_of(lowered(kScatter, Lowering::lines, 2, 2), 3).waits[0].line, 1);
}

TEST(Parts, send_a_line_with_the_last_of_its_values) {
  const Plan plan =
      plan_from_text(
          "plan a\nranks 2\nlowering lines\nlines 2\npockets 2\n"
          "0: copy line[0], out[0], line[0:1], line[0:2] = in[0], in[0], in[0], in[0]\n"
          "1: copy out[1] = line[0:1] after 0:1\n")
          .value();
  const RankProgram part = program_of(plan, 0);
  std::vector<int> completes;
  for (const ProgramRegion& target : part.targets) completes.push_back(target.completes);
  EXPECT_EQ(completes, std::vector<int>({0, 0, 2, 1}));
}

TEST(Parts, publish_only_what_somebody_awaits_by_word) {
  const std::vector<RankProgram> over_lines = programs_of(lowered(kTree, Lowering::lines));
  for (const RankProgram& part : over_lines)
    for (const Instruction& step : part.instructions) EXPECT_FALSE(step.publishes_word);
  const std::vector<RankProgram> exposed = programs_of(lowered(kTree, Lowering::owner));
  EXPECT_TRUE(exposed[0].instructions[1].publishes_word);       // the total
  EXPECT_FALSE(exposed[0].instructions.back().publishes_word);  // the hold
}

TEST(Parts, know_what_they_weigh) {
  const RankProgram part = program_of(lowered(kTree, Lowering::owner), 0);
  EXPECT_GE(part.bytes(), sizeof(RankProgram) + part.instructions.size() * sizeof(Instruction) +
                              part.waits.size() * sizeof(ProgramWait));
}

}  // namespace
}  // namespace terrace
