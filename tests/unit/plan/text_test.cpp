// SPDX-License-Identifier: BSD-3-Clause
// The text form, and the shape that every plan must have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "base/text_file.hpp"
#include "plan/lower.hpp"

namespace terrace {
namespace {

using testing::HasSubstr;

std::string complaint(const std::string& text) {
  const auto plan = plan_from_text(text);
  return plan ? "none" : plan.error().sentence;
}

TEST(PlanText, reads_what_a_user_writes) {
  const auto plan = plan_from_text(
      "# a comment\nplan a.b\nranks 3\ntiles 4\n\n"
      "0: out[0], scratch[0:1] = in[0] + out[2:3]   # the tail of a line, too\n"
      "1: out[1.2] = in[0.2]\n2: out[2.0-1] = in[0.0-1]\n");
  ASSERT_TRUE(plan) << plan.error().sentence;
  EXPECT_EQ(plan.value().name, "a.b");
  EXPECT_EQ(plan.value().scratch_blocks, 2);
  const Step& first = plan.value().body.front();
  EXPECT_EQ(first.to, std::vector<Region>({output(0).tiles(0, 4), scratch(0, 1).tiles(0, 4)}));
  EXPECT_EQ(first.from, std::vector<Region>({input(0).tiles(0, 4), output(2, 3).tiles(0, 4)}));
  EXPECT_EQ(plan.value().body[1].to.front(), output(1).tile(2));
  EXPECT_EQ(plan.value().body[2].to.front(), output(2).tiles(0, 2));
}

TEST(PlanText, says_the_same_after_a_round_trip) {
  const auto plan = plan_from_text(
      "plan a\nranks 3\ntiles 3\nin_place bounced\n1: out[1] = in[0]\n"
      "2: out[2.1-2], scratch[2.1-2] = out[1.1-2] + in[2.1-2]\n"
      "2: copy out[2:1.0], out[2:2.2] = in[0.0], in[2.2]\n");
  ASSERT_TRUE(plan) << plan.error().sentence;
  EXPECT_TRUE(plan.value().bounces_in_place);
  EXPECT_EQ(plan_from_text(to_text(plan.value())).value(), plan.value());
  const auto lowered = lower(plan.value(), Lowering::owner, 3);
  ASSERT_TRUE(lowered) << lowered.error().sentence;
  const std::string text = to_text(lowered.value());
  EXPECT_THAT(text, HasSubstr("?direct"));
  EXPECT_THAT(text, HasSubstr("@3?bounced"));
  EXPECT_EQ(plan_from_text(text).value(), lowered.value());
}

TEST(PlanText, may_have_the_line_ends_of_other_systems) {
  const std::string text = "plan p\nranks 2\n0: out[0] = in[1]\n";
  const auto plan = plan_from_text("plan p\r\nranks 2\r\n0: out[0] = in[1]\r\n");
  ASSERT_TRUE(plan) << plan.error().sentence;
  EXPECT_EQ(plan.value(), plan_from_text(text).value());
}

TEST(PlanText, names_the_line_that_it_does_not_understand) {
  EXPECT_THAT(complaint("plan a\nranks x\n"), HasSubstr("line 2, column 7: expected a number"));
  EXPECT_THAT(complaint("plan a\nranks 2\n0: out[0] in[0]\n"),
              HasSubstr("line 3, column 11: expected `=` and operands before `in[0]`"));
  EXPECT_THAT(complaint("plan a\nranks 2\n0: sum[0] = in[0]\n"), HasSubstr("expected in[...]"));
  EXPECT_THAT(complaint("plan a\n0: out[0] = in[0]\n"), HasSubstr("no line `ranks N`"));
}

TEST(PlanText, that_is_none_is_quoted_briefly_and_without_control_characters) {
  EXPECT_THAT(complaint("hello\n"),
              HasSubstr("line 1, column 1: expected `plan NAME`, `ranks N`, `tiles T` "
                        "or `RANK: ...` before `hello`"));
  EXPECT_THAT(complaint("\x1b[1m" + std::string(100, 'x')),
              HasSubstr("before `\\x1b[1m" + std::string(36, 'x') + "...`"));
  EXPECT_THAT(complaint("plan \x1b[1m\nranks 2\n"), HasSubstr("a name of printable characters"));
}

TEST(PlanText, has_a_name_and_ranks) {
  EXPECT_EQ(complaint("ranks 2\n1: out[1] = in[0]\n"),
            "the text has no line `plan NAME`, as in `plan allreduce.mine`");
  EXPECT_THAT(complaint("plan a\n"), HasSubstr("no line `ranks N`"));
}

TEST(PlanText, has_its_heads_above_its_steps) {
  EXPECT_EQ(complaint("plan a\nranks 2\n0: out[0] = in[0]\ntiles 4\n"),
            "line 4, column 8: such a line stands above the first step");
  const std::string lines = "plan a\nranks 2\nlowering lines\nclosing\n";
  EXPECT_THAT(complaint(lines + "ring 2\n"), HasSubstr("stands above the first step"));
  for (const char* head :
       {"ring 2", "scratch 2", "lines 1", "pockets 2", "exposure in:0 scratch 0"})
    EXPECT_THAT(complaint("plan a\nranks 2\n" + std::string(head) + "\n"),
                HasSubstr("only a plan with a line `lowering` above it"))
        << head;
}

TEST(PlanText, has_each_head_once) {
  const std::string plan = "plan a\nranks 2\ntiles 2\n";
  EXPECT_THAT(complaint(plan + "plan b\n"), HasSubstr("line 4, column 6: a second `plan`"));
  EXPECT_THAT(complaint(plan + "ranks 2\n"), HasSubstr("line 4, column 7: a second `ranks`"));
  EXPECT_THAT(complaint(plan + "tiles 2\n"), HasSubstr("line 4, column 7: a second `tiles`"));
  EXPECT_THAT(complaint(plan + "bytes 1-2\nbytes 1-2\n"), HasSubstr("a second `bytes`"));
  EXPECT_THAT(complaint(plan + "bytes 16-4\n"), HasSubstr("expected the smaller number first"));
  EXPECT_THAT(complaint(plan + "bytes 4\n"), HasSubstr("expected `-` at the end of the line"));
  EXPECT_THAT(complaint(plan + "bytes 4-x\n"), HasSubstr("expected a number up to"));
}

TEST(PlanShape, names_what_is_out_of_range) {
  const std::string head = "plan a\nranks 2\ntiles 2\n";
  EXPECT_THAT(complaint(head + "2: out[0] = in[0]\n"), HasSubstr("no rank 2 in this plan"));
  EXPECT_THAT(complaint(head + "0: out[0] = in[7]\n"), HasSubstr("ranks 0 to 1"));
  EXPECT_THAT(complaint(head + "0: out[0.2] = in[1.2]\n"), HasSubstr("tiles 0 to 1"));
  EXPECT_THAT(complaint(head + "0: in[0] = in[1]\n"), HasSubstr("an input cannot be written"));
  EXPECT_THAT(complaint(head + "0: scratch[1] = in[1]\n"), HasSubstr("only its own scratch"));
}

TEST(PlanText, says_for_which_calls_a_plan_is_meant) {
  const std::string text = "plan a\nranks 1\ntiles 1\nbytes 4-8589934592\n0: out[0] = in[0]\n";
  const Result<Plan> plan = plan_from_text(text);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan.value().least_bytes, 4u);
  EXPECT_EQ(plan.value().most_bytes, std::uint64_t{8} << 30);
  EXPECT_EQ(to_text(plan.value()), text);
}

constexpr const char* kNodes = "plan a\nranks 4\ntiles 2\nnodes 0,2-3 1\n";

TEST(PlanText, sends_messages_between_nodes) {
  const std::string text = std::string(kNodes) +
                           "2: send in[2.0], in[2:1] to 1\n"
                           "1: receive scratch[1.0], out[1] from 2\n";
  const auto plan = plan_from_text(text);
  ASSERT_TRUE(plan) << plan.error().sentence;
  EXPECT_EQ(plan.value().nodes, std::vector<std::uint32_t>({0, 1, 0, 0}));
  EXPECT_EQ(plan.value().body[0].kind, StepKind::send);
  EXPECT_EQ(plan.value().body[0].peer, 1u);
  EXPECT_EQ(plan.value().body[1].peer, 2u);
  EXPECT_EQ(plan.value().body[1].to[1], output(1).tiles(0, 2));
  EXPECT_EQ(to_text(plan.value()), text);
}

TEST(PlanText, says_where_each_rank_is_and_only_once) {
  const std::string head = "plan a\nranks 3\n";
  EXPECT_THAT(complaint(head + "nodes 0 1\n"), HasSubstr("rank 2 is on no node"));
  EXPECT_THAT(complaint(head + "nodes 0-1 1-2\n"), HasSubstr("rank 1 is on two nodes"));
  EXPECT_THAT(complaint(head + "nodes 0-3\n"), HasSubstr("rank 3: `ranks` has to come first"));
  EXPECT_THAT(complaint(head + "nodes 2-0\n"), HasSubstr("the first rank before the last"));
  EXPECT_THAT(complaint(head + "nodes 0 1-2\nnodes 0 1-2\n"), HasSubstr("a second `nodes`"));
  EXPECT_THAT(complaint(head + "nodes 0 1,x\n"), HasSubstr("expected a number"));
  EXPECT_THAT(complaint("plan a\nnodes 0\nranks 3\n"), HasSubstr("`ranks` has to come first"));
}

TEST(PlanShape, lets_only_messages_go_from_node_to_node) {
  const std::string head = kNodes;
  EXPECT_THAT(complaint(head + "0: out[0] = in[1]\n"),
              HasSubstr("in[1] lies on another node than rank 0: only a message gets there"));
  EXPECT_THAT(complaint(head + "0: out[1] = in[0]\n"), HasSubstr("another node than rank 0"));
  EXPECT_THAT(complaint(head + "0: send in[0] to 3\n"), HasSubstr("on the same node as rank 0"));
  EXPECT_THAT(complaint(head + "0: send in[2] to 1\n"), HasSubstr("from its own memory"));
  EXPECT_THAT(complaint(head + "1: receive in[1] from 0\n"), HasSubstr("cannot be written"));
  EXPECT_THAT(complaint(head + "1: receive out[1] from 4\n"), HasSubstr("no rank 4 in this plan"));
  EXPECT_THAT(complaint(head + "1: receive out[1] = in[1]\n"), HasSubstr("expected `from`"));
  const std::string lines = head + "lowering lines\nlines 1\n";
  EXPECT_THAT(complaint(lines + "1: out[1] = in[1]\n0: out[0] = in[0] after 1:1\n"),
              HasSubstr("waits for rank 1, whose steps another node cannot see"));
  EXPECT_THAT(complaint(lines + "closing\n1: receive out[1] from 0\n"),
              HasSubstr("a closing step sends or receives"));
}

// Blocks are counted in 16 bits, and tiles of all blocks of all ranks in 32.
TEST(PlanShape, has_a_size_that_can_be_kept_account_of) {
  const std::string ends = "ranks 1024\ntiles 1024\n0: out[0:";
  EXPECT_THAT(complaint("plan a\n" + ends + "65535] = in[0]\n"),
              HasSubstr("expected a number up to 65534"));
  EXPECT_THAT(complaint("plan a\n" + ends + "65534] = in[0]\n"),
              HasSubstr("1024 ranks with 131070 blocks of 1024 tiles each are more than"));
  EXPECT_EQ(complaint("plan a\n" + ends + "7] = in[0]\n"), "none");
  EXPECT_THAT(complaint("plan a\nranks 2\ntiles 65535\nlowering lines\nring 65535\nscratch 65535"
                        "\n0: out[0] = scratch[0]\n"),
              HasSubstr("kept account of"));
}

TEST(PlanShape, keeps_values_in_their_tiles) {
  EXPECT_THAT(complaint("plan a\nranks 2\ntiles 2\n0: out[0.0] = in[1.1]\n"),
              HasSubstr("operands and targets name different tiles"));
  EXPECT_THAT(complaint("plan a\nranks 2\ntiles 2\n0: out[0.0], out[0.1] = in[1.0]\n"),
              HasSubstr("operands and targets name different tiles"));
}

TEST(PlanText, gives_a_copy_an_operand_for_each_target) {
  const auto plan = plan_from_text("plan a\nranks 2\n0: copy out[0], out[0:1] = in[1], in[1:1]\n");
  ASSERT_TRUE(plan) << plan.error().sentence;
  EXPECT_EQ(plan.value().body.front().kind, StepKind::copy);
  EXPECT_EQ(plan.value().body.front().from[1], input(1, 1).tiles(0, 1));
  const std::string head = "plan a\nranks 2\ntiles 2\n";
  EXPECT_THAT(complaint(head + "0: copy out[0] = in[0] + in[1]\n"),
              HasSubstr("`after` or the end"));
  EXPECT_THAT(complaint(head + "0: out[0] = in[0], in[1]\n"), HasSubstr("`after` or the end"));
  EXPECT_THAT(complaint(head + "0: copy out[0] = in[0], in[1]\n"),
              HasSubstr("as many operands as targets"));
  EXPECT_THAT(complaint(head + "0: copy out[0.0], out[0.1] = in[0.0], in[0.0]\n"),
              HasSubstr("name different tiles"));
}

TEST(PlanShape, leaves_to_lowering_what_is_its_own) {
  EXPECT_THAT(complaint("plan a\nranks 2\n0: hold\n"), HasSubstr("for lowering to add"));
  EXPECT_THAT(complaint("plan a\nranks 2\n0: line[0] = in[0]\n"),
              HasSubstr("only a plan with a line `lowering` may name that"));
}

TEST(PlanShape, refuses_lowered_steps_that_no_executor_could_run) {
  const std::string lines = "plan a\nranks 2\nlowering lines\nlines 1\n";
  EXPECT_THAT(complaint(lines + "0: out[0] = line[1] after 1:1\n"),
              HasSubstr("waits for step 1 of rank 1, which has 0"));
  EXPECT_THAT(complaint(lines + "0: out[0] = line[0] after 0:1\n"),
              HasSubstr("waits for messages of its own, of which it has none"));
  EXPECT_THAT(complaint(lines + "0: expose line[0] = in[0], in[0]\n"),
              HasSubstr("more operands than targets"));
  EXPECT_THAT(complaint(lines + "0: expose line[0] = in[1]\n"), HasSubstr("only its own buffers"));
  EXPECT_THAT(complaint(lines + "pockets 0\n0: out[0] = in[0]\n"), HasSubstr("start at 1"));
  EXPECT_THAT(complaint(lines + "pockets 2\n0: out[0] = line[1:2] after 1:1\n"),
              HasSubstr("declares 1 lines"));
  EXPECT_THAT(complaint(lines + "pockets 2\n0: line[0] = in[0]\n0: line[0:1] = in[0:1]\n"),
              HasSubstr("line[0:1]: another step also writes that line"));
  const std::string owner = "plan a\nranks 2\nlowering owner\nexposure in:0 scratch 0\n";
  EXPECT_THAT(complaint(owner + "scratch 1\n0: expose exposed[0] = in[0]\n"),
              HasSubstr("`lines` must be at least 1"));
  EXPECT_THAT(complaint(owner + "lines 1\n0: expose exposed[0] = in[0]\n"),
              HasSubstr("beyond the 0 declared"));
}

/// Some bytes changed, put in, left out, or said twice, those that a plan is made of likelier.
std::string mutated(std::string text, std::mt19937& random) {
  static constexpr std::string_view kLikely = "0123456789[]().:=+-,@? \nabcdeinoprtu\x01";
  const auto below = [&random](std::size_t bound) {
    return random() % std::max<std::size_t>(bound, 1);
  };
  for (std::size_t change = 0; change <= below(3); ++change) {
    const std::size_t at = below(text.size());
    const char byte = kLikely[below(kLikely.size())];
    switch (below(4)) {
      case 0:
        text[at] = byte;
        break;
      case 1:
        text.insert(at, 1, byte);
        break;
      case 2:
        text.erase(at, 1 + below(8));
        break;
      default:
        text.insert(at, text.substr(below(text.size()), below(40)));
    }
  }
  return text;
}

TEST(PlanText, that_was_damaged_is_a_plan_or_a_complaint) {
  std::mt19937 random(1);
  std::size_t plans = 0, complaints = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TERRACE_SOURCE_DIR "/tests/plans")) {
    const std::string text = read_text_file(entry.path().string(), kMostPlanBytes).value();
    for (int i = 0; i < 400; ++i) {
      const std::string damaged = mutated(text, random);
      const auto plan = plan_from_text(damaged);
      if (!plan) {
        ++complaints;
        EXPECT_FALSE(plan.error().sentence.empty()) << damaged;
        continue;
      }
      ++plans;
      EXPECT_EQ(plan_from_text(to_text(plan.value())).value(), plan.value()) << damaged;
      if (plan.value().lowering != Lowering::none || plan.value().ranks > 64) continue;
      for (const Lowering lowering : {Lowering::lines, Lowering::owner})
        (void)lower(plan.value(), lowering);
    }
  }
  EXPECT_GT(plans, 500u);
  EXPECT_GT(complaints, 1000u);
}

}  // namespace
}  // namespace terrace
