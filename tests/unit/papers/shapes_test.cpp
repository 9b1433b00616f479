// SPDX-License-Identifier: BSD-3-Clause
// Letters, the forms that the paper has no equation for, and shapes: against cases whose answer is
// known.
#include "papers/shapes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "papers/fitted.hpp"
#include "papers/ratios.hpp"

namespace terrace::papers {
namespace {

using namespace model::hpdc13;

TEST(Parameters, obey_what_the_paper_asks_of_them) {
  for (const PaperNode* node : {&westmere(), &magny_cours()})
    for (std::size_t i = 0; i < kPoints; ++i) {
      const Costs c = parameters_at(*node, node->box.point(i));
      EXPECT_GT(c.a_alpha, 0);
      EXPECT_LT(c.a_alpha + c.b_alpha, c.a_beta + c.b_beta);
      EXPECT_LT(c.b_alpha, c.b_beta);
      EXPECT_LE(c.b_alpha, c.B_alpha * node->threads.q * (1 + 1e-12));
      EXPECT_LE(c.B_alpha, c.b_alpha);
    }
  EXPECT_DOUBLE_EQ(parameters_in_the_middle(westmere()).b_alpha, 5);
}

TEST(Parameters, a_tree_as_wide_as_a_socket_is_the_broadcast_in_two_stages) {
  for (const PaperNode* node : {&westmere(), &magny_cours()}) {
    const Costs c = parameters_in_the_middle(*node);
    for (const double m : lines_in_cache())
      EXPECT_NEAR(nary_broadcast(c, node->threads, node->threads.q, m),
                  two_stage_broadcast(c, node->threads, m), 1e-6);
  }
}

TEST(Parameters, tiles_of_a_single_socket_go_through_its_cache_alone) {
  const Costs c{10, 4, 1, 1000, 100, 100};
  // Four steps; each reads a tile of two lines, all from one cache: 10 + 4 * 2.
  EXPECT_DOUBLE_EQ(naive_tiles(c, {4, 1}, 8), 4 * (10 + 4 * 2));
  EXPECT_DOUBLE_EQ(cyclic_tiles(c, {4, 1}, 8), 4 * (10 + 4 * 2));
}

TEST(Parameters, cyclic_tiles_share_a_link_with_those_who_cross_it_at_the_time) {
  // Two sockets of two; far reads are all that costs. Of a socket's two threads 0, 1, 2, 1 cross.
  const Costs c{0, 0, 0, 0, 0, 1};
  EXPECT_DOUBLE_EQ(cyclic_tiles(c, {2, 2}, 4), 0 + 1 + 2 + 1);
  EXPECT_DOUBLE_EQ(naive_tiles(c, {2, 2}, 4), 4 * 2);
}

TEST(Shapes, one_stage_wins_over_a_wide_link_and_two_over_a_narrow_one) {
  const Costs wide{20, 5, 5, 50, 6, 1}, narrow{0.1, 5, 1, 50, 6, 6};
  EXPECT_TRUE(one_stage_is_best(wide, {6, 2}, 100));
  EXPECT_FALSE(two_stages_are_best(wide, {6, 2}, 100));
  EXPECT_TRUE(two_stages_are_best(narrow, {6, 2}, 100));
  EXPECT_FALSE(one_stage_is_best(narrow, {6, 2}, 100));
}

TEST(Shapes, dissemination_has_one_far_step_less_than_the_tree) {
  // With nothing but a latency per far step, (7) beats (5), which the paper measured otherwise.
  EXPECT_FALSE(dissemination_is_slower_than_tree({0, 0, 0, 1, 0, 0}, {6, 2}, 1));
  EXPECT_TRUE(dissemination_is_slower_than_tree({1, 0, 0, 0, 0, 0}, {6, 2}, 1));
}

TEST(Shapes, of_tiles_are_judged_in_three_parts) {
  const Costs c{1, 1, 0.2, 50, 3, 3};
  EXPECT_TRUE(tiles_are_in_order(c, {8, 4}, 128));
  const Costs caches_alone{0, 1, 1, 0, 0, 0};
  EXPECT_FALSE(hierarchical_is_faster_than_cyclic(caches_alone, {8, 4}, 1024));
}

TEST(Fitted, a_fitted_parameter_puts_the_crossover_where_it_was_asked_to_be) {
  int fits = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    Costs c = parameters_at(westmere(), westmere().box.point(i));
    const auto B = fitted_B_alpha(c, 6, 256, beyond_tiles_on_westmere);
    if (!B) continue;
    ++fits;
    c.B_alpha = *B;
    EXPECT_NEAR(crossover(c, beyond_tiles_on_westmere), 256, 0.01);
    EXPECT_NEAR(crossover_on_westmere(c), 256, 0.01);
  }
  EXPECT_GT(fits, 100);
}

TEST(Fitted, there_may_be_no_crossover_at_all) {
  const Costs c{30, 5, 5, 100, 6, 6};  // tiles gain nothing per line
  EXPECT_TRUE(std::isinf(crossover(c, beyond_tiles_on_westmere)));
}

TEST(Ratios, bytes_moved_grow_with_copies) {
  for (const double p : {2.0, 12.0, 32.0, 240.0}) {
    EXPECT_LT(moved_directly(p), moved_by_staging(p));
    EXPECT_LT(moved_by_staging(p), moved_by_messages(p));
  }
  EXPECT_DOUBLE_EQ(moved_directly(12), 55);
  EXPECT_DOUBLE_EQ(moved_by_messages(4), 4 * 2 * 7);
}

}  // namespace
}  // namespace terrace::papers
