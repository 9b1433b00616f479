// SPDX-License-Identifier: BSD-3-Clause
// Pictures of plans show every step in its round, and every value that goes from rank to rank.
#include "draw/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/collectives.hpp"
#include "draw/rounds.hpp"
#include "plan/lower.hpp"
#include "unit/draw/pictures.hpp"

namespace terrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Plan plan_of(const char* name, const Hierarchy& hierarchy, std::uint32_t radix = 2) {
  return find_algorithm(name)->write({hierarchy, 0, radix});
}

TEST(PlanPicture, is_a_table_of_rounds) {
  const Hierarchy hierarchy = domains(2, 2);
  EXPECT_EQ(picture_text(plan_of("allreduce.tree", hierarchy), hierarchy),
            "allreduce.tree: 4 ranks, 3 rounds, 6 steps\n"
            "\n"
            "        package 0 | package 1\n"
            "round   0    1    | 2    3\n"
            "1       0+1  .    | 2+3  .\n"
            "2       0+2  .    | .    .\n"
            "3       .    =0   | =0   =0\n"
            "\n"
            "0+2: the rank combines values of ranks 0 and 2, in this order\n"
            "=0: it copies what rank 0 has\n");
}

TEST(PlanPicture, says_what_is_stored_where_and_of_which_tile) {
  const Hierarchy hierarchy = domains(1, 2);
  EXPECT_EQ(picture_text(plan_of("allreduce.push", hierarchy), hierarchy),
            "allreduce.push: 2 ranks, 1 round, 2 steps\n"
            "\n"
            "        package 0\n"
            "round   0            1\n"
            "1       t0 0+1 >0,1  t1 0+1 >1,0\n"
            "\n"
            "0+2: the rank combines values of ranks 0 and 2, in this order\n"
            ">1: it stores the result at rank 1\n"
            "t3: only of tile 3, of 2\n");
}

/// Paper, Figure 3: sockets meet last. Who reads whom in which round, and nothing else.
TEST(PlanPicture, has_an_arrow_for_each_value_that_a_rank_takes) {
  const Hierarchy hierarchy = domains(2, 2);
  const std::string svg = svg_of(plan_of("allreduce.tree", hierarchy), hierarchy);
  EXPECT_TRUE(is_well_formed(svg)) << svg;
  EXPECT_THAT(
      tooltips(svg, "arrow"),
      ElementsAre("rank 0 takes from rank 1 in round 1", "rank 2 takes from rank 3 in round 1",
                  "rank 0 takes from rank 2 in round 2", "rank 1 takes from rank 0 in round 3",
                  "rank 2 takes from rank 0 in round 3", "rank 3 takes from rank 0 in round 3"));
  EXPECT_THAT(tooltips(svg, "rank"), ElementsAre("rank 0", "rank 1", "rank 2", "rank 3"));
  EXPECT_THAT(tooltips(svg, "group"), ElementsAre("package 0", "package 1"));
  EXPECT_THAT(svg, HasSubstr("between cores of one package"));
  EXPECT_THAT(svg, HasSubstr("between packages of one node"));
}

/// Counts of arrows and bars would not tell whether they are the right ones.
TEST(PlanPicture, joins_many_arrows_to_bars_without_losing_any) {
  const Hierarchy hierarchy = domains(2, 4);
  const std::string svg = svg_of(plan_of("allreduce.push", hierarchy), hierarchy);
  EXPECT_THAT(tooltips(svg, "bar"),
              ElementsAre("ranks 0, 1, 2, 3 take from ranks 0, 1, 2, 3 in round 1",
                          "ranks 4, 5, 6, 7 take from ranks 4, 5, 6, 7 in round 1",
                          "ranks 0, 1, 2, 3 get from ranks 0, 1, 2, 3 in round 2",
                          "ranks 4, 5, 6, 7 get from ranks 4, 5, 6, 7 in round 2"));
  EXPECT_EQ(tooltips(svg, "arrow").size(), 8u);
  EXPECT_EQ(tooltips(svg, "step").size(), 16u);
}

TEST(PlanPicture, of_every_algorithm_shows_every_rank_and_step) {
  const Hierarchy hierarchy = domains(2, 3);
  for (const Algorithm& row : algorithms())
    for (const Lowering lowering : {Lowering::none, Lowering::lines, Lowering::owner}) {
      Plan plan = row.write({hierarchy, 1 % 6, 8});
      if (lowering != Lowering::none) {
        auto lowered = lower(plan, lowering);
        if (!lowered) continue;
        plan = std::move(lowered).value();
      }
      PlanPicture options;
      options.most_rounds = 1000;
      options.shows_waits = true;
      const std::string svg = svg_of(plan, hierarchy, options);
      EXPECT_TRUE(is_well_formed(svg)) << row.name;
      EXPECT_EQ(tooltips(svg, "rank").size(), 6u) << row.name;
      EXPECT_EQ(tooltips(svg, "step").size(), plan.body.size() + plan.closing.size()) << row.name;
    }
}

/// What one thread does top to bottom keeps its order, and nothing comes before what it needs.
TEST(Rounds, follow_operands_ranks_and_waits) {
  const Hierarchy hierarchy = domains(2, 4);
  for (const Algorithm& row : algorithms()) {
    const Plan plan = row.write({hierarchy, 0, 4});
    std::vector<std::uint32_t> last(plan.ranks, 0);
    for (const Act& act : acts_of(plan)) {
      EXPECT_GT(act.round, last[act.step->by]) << row.name;
      last[act.step->by] = act.round;
    }
  }
  const auto lowered = lower(plan_of("allreduce.tree", hierarchy), Lowering::owner);
  const std::vector<Act> acts = acts_of(lowered.value());
  for (const Act& act : acts)
    for (const std::size_t awaited : act.awaits) EXPECT_LT(acts[awaited].round, act.round);
}

TEST(Rounds, come_after_those_who_read_what_is_overwritten) {
  const auto plan = plan_from_text(
      "plan x\nranks 3\n0: out[0] = in[1]\n1: scratch[1] = out[0]\n2: out[0] = in[2]\n");
  ASSERT_TRUE(plan) << plan.error().sentence;
  const std::vector<Act> acts = acts_of(plan.value());
  EXPECT_EQ(acts[0].round, 1u);
  EXPECT_EQ(acts[1].round, 2u);
  EXPECT_EQ(acts[2].round, 3u);
  EXPECT_THAT(acts[2].stores_to, ElementsAre(0));
}

TEST(PlanPicture, says_what_it_leaves_out) {
  const Hierarchy hierarchy = domains(1, 8);
  PlanPicture options;
  options.most_rounds = 3;
  const Plan chain = plan_of("scan.chain", hierarchy);
  const std::string text = picture_text(chain, hierarchy, options);
  EXPECT_THAT(text, HasSubstr("... left out: 5 rounds (--rounds 8 shows all)"));
  EXPECT_THAT(text, Not(HasSubstr("\n4  ")));
  EXPECT_THAT(svg_of(chain, hierarchy, options), HasSubstr("Rounds 4 to 8 are left out."));
}

TEST(PlanPicture, lists_steps_where_ranks_are_too_many_for_a_table) {
  const Hierarchy hierarchy = domains(8, 8);
  const std::string text = picture_text(plan_of("allreduce.tree", hierarchy), hierarchy);
  EXPECT_THAT(text, HasSubstr("round 1\n  0: 0+1\n"));
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1)
    EXPECT_LE(text.find('\n', begin) - begin, 160u);
}

TEST(PlanPicture, shows_messages_between_nodes) {
  const Plan plan = plan_from_text(
                        "plan bcast.a\nranks 3\nnodes 0-1 2\n0: send in[0] to 2\n"
                        "2: receive out[2] from 0\n1: out[1] = in[0]\n")
                        .value();
  EXPECT_THAT(picture_text(plan, flat_hierarchy(3)),
              HasSubstr("round   0       1       2\n"
                        "1       send 2  =0      .\n"
                        "2       .       .       from 0\n"
                        "\n"
                        "=0: it copies what rank 0 has\n"
                        "send 2: it starts a message to rank 2\n"
                        "from 0: it takes rank 0's message\n"));
  EXPECT_EQ(acts_of(plan)[1].takes_from, std::vector<Rank>({0}));
}

/// Ranks of a domain stand next to each other, however they are numbered.
TEST(PlanPicture, orders_ranks_by_domain) {
  Hierarchy hierarchy = flat_hierarchy(4);
  hierarchy.all.children = {{"package", 0, {0, 2}, {}}, {"package", 1, {1, 3}, {}}};
  EXPECT_THAT(order_in(hierarchy), ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(picture_text(plan_of("bcast.flat", hierarchy), hierarchy),
              HasSubstr("round   0   2   | 1   3\n"));
}

TEST(PlanPicture, draws_waits_of_lowered_plans) {
  const Hierarchy hierarchy = flat_hierarchy(2);
  const Plan lowered = lower(plan_of("bcast.flat", hierarchy), Lowering::lines).value();
  PlanPicture options;
  EXPECT_EQ(tooltips(svg_of(lowered, hierarchy, options), "wait").size(), 0u);
  options.shows_waits = true;
  EXPECT_THAT(tooltips(svg_of(lowered, hierarchy, options), "wait"),
              ElementsAre(HasSubstr("rank 1 waits until rank 0 has done: 0: expose line[0]")));
}

}  // namespace
}  // namespace terrace
