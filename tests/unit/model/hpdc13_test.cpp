// SPDX-License-Identifier: BSD-3-Clause
// The HPDC'13 equations against what the paper prints: its numbers, its unfolded forms, and what it
// says in words.
#include "model/hpdc13.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace terrace::model::hpdc13 {
namespace {

constexpr Threads kWestmereThreads{6, 2}, kMagnyCoursThreads{8, 4};

/// Letters that differ enough that no two terms can be mistaken for each other.
constexpr Costs kLetters{1000, 100, 10, 100'000, 20'000, 3'000};

/// Any machine that the paper allows: near faster than far, and a link shared by d >= 1 readers no
/// faster for each of them than for one alone from some d on.
Costs some_costs(std::mt19937& random) {
  std::uniform_real_distribution<double> share(0.05, 1), latency(1, 100), line(0.1, 10);
  Costs costs;
  costs.a_alpha = latency(random);
  costs.b_alpha = line(random);
  costs.B_alpha = costs.b_alpha * share(random);
  costs.a_beta = costs.a_alpha + latency(random);
  costs.b_beta = costs.b_alpha + line(random);
  costs.B_beta = costs.b_beta * share(random);
  return costs;
}

TEST(Hpdc13, logarithms_are_rounded_up_without_floating_point) {
  EXPECT_EQ(ceil_log(2, 1), 0u);
  EXPECT_EQ(ceil_log(2, 2), 1u);
  EXPECT_EQ(ceil_log(2, 3), 2u);
  EXPECT_EQ(ceil_log(10, 1000), 3u);
  EXPECT_EQ(ceil_log(10, 1001), 4u);
  EXPECT_EQ(ceil_log(5, 125), 3u);  // 3.0000000000000004 by std::log
  EXPECT_EQ(ceil_log(3, ~std::uint64_t{0}), 41u);
}

TEST(Hpdc13, a_tree_of_the_height_holds_all_threads_and_none_lower_does) {
  for (std::uint32_t n = 2; n <= 9; ++n)
    for (std::uint32_t q = 1; q <= 300; ++q) {
      const auto holds = [n](std::uint32_t h) { return (std::pow(n, h + 1) - 1) / (n - 1); };
      EXPECT_LE(q, holds(height(n, q))) << n << " " << q;
      if (height(n, q) > 0) {
        EXPECT_GT(q, holds(height(n, q) - 1)) << n << " " << q;
      }
    }
}

TEST(Hpdc13, the_paper_goes_on_with_a_height_that_may_be_one_more) {
  EXPECT_EQ(height(2, 6), 2u);
  EXPECT_EQ(height_approximated(2, 6), 3u);  // the steps of its Figure 16
  for (std::uint32_t n = 2; n <= 9; ++n)
    for (std::uint32_t q = 2; q <= 300; ++q) {
      EXPECT_GE(height_approximated(n, q), height(n, q));
      EXPECT_LE(height_approximated(n, q), height(n, q) + 1);
    }
}

TEST(Hpdc13, one_line_on_westmere_takes_306_7_ns) {
  EXPECT_NEAR(line_tree_on_westmere(kWestmere), 306.7, 0.05);
  EXPECT_NEAR(306.7 / 339.8, 0.9026, 5e-5);
}

TEST(Hpdc13, one_line_on_magny_cours_adds_up_as_printed) {
  // 608.4 ns fix one of the reads, given the others: 4 Rs + 2 Rr + Rd + 12 Rl.
  Reads reads{1.25, 40, 100, 0};
  reads.Rd = 608.4 - 4 * reads.Rs - 2 * reads.Rr - 12 * reads.Rl;
  EXPECT_GT(reads.Rd, reads.Rr);
  EXPECT_NEAR(line_tree_on_magny_cours(reads), 608.4, 1e-9);
  EXPECT_DOUBLE_EQ(line_tree_on_magny_cours({1, 0, 0, 0}), 12);
  EXPECT_DOUBLE_EQ(line_tree_on_magny_cours({0, 1, 0, 0}), 4);
  EXPECT_DOUBLE_EQ(line_tree_on_magny_cours({0, 0, 1, 0}), 2);
  EXPECT_DOUBLE_EQ(line_tree_on_magny_cours({0, 0, 0, 1}), 1);
}

TEST(Hpdc13, reads_of_a_line_are_the_unfolded_tree_without_congestion) {
  // Section 3.4 identifies each step's a + b m with a read and two or one accesses to the own L1.
  const Reads& r = kWestmere;
  Costs costs;
  costs.a_alpha = 5;
  costs.b_alpha = r.Rs + 2 * r.Rl - costs.a_alpha;
  costs.B_alpha = costs.b_alpha / 2;
  costs.a_beta = 50;
  costs.b_beta = r.Rr + 2 * r.Rl - costs.a_beta;
  costs.B_beta = (r.Rr + r.Rl - costs.a_beta) / 6;
  EXPECT_NEAR(tree_on_westmere(costs, 1), line_tree_on_westmere(r), 1e-9);
}

TEST(Hpdc13, equation_1_has_a_term_more_than_its_unfolded_form) {
  // q = 6, n = 2, one line: terms of 1, 2, 4 and 8 readers, each at least a + b = 1100.
  EXPECT_DOUBLE_EQ(equation_1(kLetters, kWestmereThreads, 2, 1), 4 * 1100);
  // ... which with dearer sharing shows: 1 + max(10, B n^i) for B = 4.
  const Costs dear{1, 10, 4, 0, 0, 0};
  EXPECT_DOUBLE_EQ(equation_1(dear, kWestmereThreads, 2, 1), 11 + 11 + 17 + 33);
  // The text has three steps, of 3, 2 and 1 readers.
  EXPECT_DOUBLE_EQ(equation_1_of_the_text(dear, kWestmereThreads, 2, 1), 13 + 11 + 11);
  // Section 3.4 unfolds to three steps, of 2, 1 and 1.
  EXPECT_DOUBLE_EQ(tree_on_westmere(dear, 1), (1 + 8) + 2 * 11);
}

TEST(Hpdc13, forms_of_equation_1_are_one_for_a_single_thread_or_none_shared) {
  std::mt19937 random(1);
  for (int i = 0; i < 100; ++i) {
    const Costs costs = some_costs(random);
    EXPECT_DOUBLE_EQ(equation_1_of_the_text(costs, {1, 2}, 2, 8), 0);
    EXPECT_DOUBLE_EQ(equation_1(costs, {1, 2}, 2, 8), costs.a_alpha + costs.b_alpha * 8);
  }
}

TEST(Hpdc13, equations_are_linear_in_their_letters_as_printed) {
  const Costs& c = kLetters;
  const Threads w = kWestmereThreads, k = kMagnyCoursThreads;
  EXPECT_DOUBLE_EQ(equation_2(c, k, 2, 3), 2 * (c.a_beta + 3 * c.b_beta));
  EXPECT_DOUBLE_EQ(equation_2(c, k, 4, 3), 3 * (c.a_beta + 3 * c.b_beta));
  EXPECT_DOUBLE_EQ(equation_3(c, k, 2, 3), equation_1(c, k, 2, 3) + equation_2(c, k, 2, 3));
  EXPECT_DOUBLE_EQ(two_stage_broadcast(c, w, 2),
                   c.a_alpha + 5 * c.B_alpha * 2 + c.a_beta + c.b_beta * 2);
  EXPECT_DOUBLE_EQ(one_stage_broadcast(c, w, 2), c.a_beta + 6 * c.B_beta * 2);
  EXPECT_DOUBLE_EQ(equation_5(c, w, 2, 2), equation_3(c, w, 2, 2) + equation_4(c, w, 2));
  EXPECT_DOUBLE_EQ(equation_6(c, k, 2),
                   3 * (c.a_alpha + c.B_alpha * 16) + 2 * (c.a_beta + c.B_beta * 16));
  EXPECT_DOUBLE_EQ(equation_7(c, w, 2), 2 * (c.a_alpha + c.B_alpha * 8) +
                                            (c.a_beta + c.B_beta * 8) +
                                            2 * (c.a_alpha + c.B_alpha * 4));
  EXPECT_DOUBLE_EQ(equation_8(c, w, 2), 6 * c.a_alpha + 6 * c.B_alpha * 2);
  EXPECT_DOUBLE_EQ(equation_9(c, k, 2), 2 * (c.a_beta + c.B_beta * 2));
  EXPECT_DOUBLE_EQ(equation_10(c, k, 2), equation_8(c, k, 2) + equation_9(c, k, 2));
  EXPECT_DOUBLE_EQ(equation_11(c, k, 2), equation_10(c, k, 2) + equation_4(c, k, 2));
}

TEST(Hpdc13, a_broadcast_takes_the_faster_of_its_two_ways) {
  // Many readers of a narrow link between sockets go by two stages, few of a wide one by one.
  EXPECT_DOUBLE_EQ(equation_4({1, 1, 1, 9, 1, 9}, {8, 4}, 10),
                   two_stage_broadcast({1, 1, 1, 9, 1, 9}, {8, 4}, 10));
  EXPECT_DOUBLE_EQ(equation_4({1, 1, 1, 9, 1, 0.1}, {8, 4}, 10),
                   one_stage_broadcast({1, 1, 1, 9, 1, 0.1}, {8, 4}, 10));
}

TEST(Hpdc13, no_reduction_tree_is_faster_than_the_binary_one) {
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    const Costs costs = some_costs(random);
    for (const Threads threads : {Threads{6, 2}, {8, 4}, {16, 2}, {27, 3}, {64, 8}})
      for (const double m : {1.0, 100.0, 10'000.0})
        for (std::uint32_t n = 3; n <= threads.q; ++n)
          EXPECT_GE(equation_3(costs, threads, n, m), equation_3(costs, threads, 2, m))
              << "n " << n << ", q " << threads.q << ", s " << threads.s << ", m " << m;
  }
}

TEST(Hpdc13, equations_of_tree_and_tiles_meet_at_the_crossover) {
  std::mt19937 random(3);
  int met = 0;
  for (int i = 0; i < 200; ++i) {
    const Costs costs = some_costs(random);
    const double m = crossover_on_westmere(costs);
    if (!(m > 0)) continue;
    ++met;
    const double tiled =
        equation_10(costs, kWestmereThreads, m) + one_stage_broadcast(costs, kWestmereThreads, m);
    EXPECT_NEAR(tree_on_westmere(costs, m), tiled, 1e-9 * tiled);
    const double tiled_half = equation_10(costs, kWestmereThreads, m / 2) +
                              one_stage_broadcast(costs, kWestmereThreads, m / 2);
    EXPECT_LT(tree_on_westmere(costs, m / 2), tiled_half);
  }
  EXPECT_GT(met, 50);
}

TEST(Hpdc13, the_crossover_hangs_on_tenths_of_nanoseconds) {
  // 16 KiB are 256 lines: with a_alpha = 30 ns, bandwidths that differ by 0.35 ns a line in all.
  const Costs costs{30, 4, 2, 100, 8, 7.6484375};
  EXPECT_NEAR(crossover_on_westmere(costs), 256, 1e-9);
  Costs other = costs;
  other.B_beta += 0.1;
  EXPECT_GT(crossover_on_westmere(other), 1.3 * 256);
}

}  // namespace
}  // namespace terrace::model::hpdc13
