// SPDX-License-Identifier: BSD-3-Clause
// Trees of messages against counts that one can do by hand.
#include "papers/messages.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace terrace::papers {
namespace {

/// Every message takes 1, and its sender all of that.
const MessageCosts kUnit{{1, 1, 1}, {0, 0, 0}, 1, 0, 0};
const Numbering kEight{{2, 2, 2}};

std::vector<Rank> all_of(const Numbering& numbering) {
  std::vector<Rank> ranks;
  for (Rank rank = 0; rank < numbering.ranks(); ++rank) ranks.push_back(rank);
  return ranks;
}

TEST(Messages, ranks_differ_first_at_their_outermost_digit) {
  const Numbering numbering{{2, 3, 4}};
  EXPECT_EQ(numbering.ranks(), 24u);
  EXPECT_EQ(numbering.level_between(0, 1), 2u);
  EXPECT_EQ(numbering.level_between(0, 4), 1u);
  EXPECT_EQ(numbering.level_between(0, 12), 0u);
  EXPECT_EQ(numbering.level_between(3, 12), 0u);
  EXPECT_EQ(numbering.level_between(11, 8), 2u);
}

TEST(Messages, of_a_flat_tree_are_one_for_each_rank_and_by_levels_one_for_each_part) {
  EXPECT_DOUBLE_EQ(flat_time(PaperAlgorithm::linear, all_of(kEight), kEight, kUnit, 8), 7);
  EXPECT_DOUBLE_EQ(time_by_levels(PaperAlgorithm::linear, all_of(kEight), kEight, kUnit, 8), 3);
  EXPECT_DOUBLE_EQ(gain(PaperAlgorithm::linear, kEight, kUnit, 8), 7.0 / 3);
}

TEST(Messages, take_as_many_rounds_as_each_tree_is_known_for) {
  const std::vector<Rank> eight = all_of(kEight);
  const auto time = [&](PaperAlgorithm algorithm) {
    return flat_time(algorithm, eight, kEight, kUnit, 8);
  };
  EXPECT_DOUBLE_EQ(time(PaperAlgorithm::pipeline), 7);
  EXPECT_DOUBLE_EQ(time(PaperAlgorithm::binomial), 3);
  // 0 sends to 1, 2; 1 to 3, 4; 2 to 5, 6; 3 to 7: 5 and 7 have it after 4.
  EXPECT_DOUBLE_EQ(time(PaperAlgorithm::binary), 4);
  EXPECT_DOUBLE_EQ(time(PaperAlgorithm::split_binary), 5);
  // Chains 1 2, 3 4, 5 6, 7: the third begins after 3, and takes one more.
  EXPECT_DOUBLE_EQ(time(PaperAlgorithm::chain), 4);
}

TEST(Messages, reach_every_rank_of_any_number) {
  for (std::uint32_t p = 1; p <= 40; ++p) {
    const Numbering numbering{{p}};
    const MessageCosts costs{{1}, {0}, 1, 0, 0};
    for (const PaperAlgorithm algorithm : {PaperAlgorithm::linear, PaperAlgorithm::pipeline})
      EXPECT_DOUBLE_EQ(flat_time(algorithm, all_of(numbering), numbering, costs, 1), p - 1)
          << name_of(algorithm) << " " << p;
    for (const PaperAlgorithm algorithm : {PaperAlgorithm::chain, PaperAlgorithm::binary,
                                           PaperAlgorithm::binomial, PaperAlgorithm::in_order})
      EXPECT_LE(flat_time(algorithm, all_of(numbering), numbering, costs, 1), p - 1)
          << name_of(algorithm) << " " << p;
  }
}

TEST(Messages, in_pieces_fill_a_pipeline) {
  const Numbering numbering{{5}};
  const MessageCosts costs{{0}, {1}, 1, 0, 10};
  // 3 pieces of 10 through 4 hops: 4 + 2 times 10.
  EXPECT_DOUBLE_EQ(flat_time(PaperAlgorithm::pipeline, all_of(numbering), numbering, costs, 30),
                   60);
  EXPECT_DOUBLE_EQ(flat_time(PaperAlgorithm::linear, all_of(numbering), numbering, costs, 30), 120);
}

TEST(Messages, keep_a_sender_busy_for_its_share_only) {
  const MessageCosts costs{{10, 10, 10}, {0, 0, 0}, 0.1, 0, 0};
  EXPECT_DOUBLE_EQ(flat_time(PaperAlgorithm::linear, all_of(kEight), kEight, costs, 1), 7 * 1 + 9);
}

TEST(Messages, cost_more_from_level_to_level_on_every_platform) {
  for (const Platform& platform : platforms()) {
    const MessageCosts costs = costs_in_the_middle(platform);
    ASSERT_EQ(costs.alpha.size(), platform.levels);
    for (std::size_t level = 0; level + 1 < platform.levels; ++level) {
      EXPECT_GT(costs.alpha[level], costs.alpha[level + 1]) << platform.name;
      EXPECT_GT(costs.beta[level], costs.beta[level + 1]) << platform.name;
    }
  }
}

TEST(Messages, of_vectors_follow_the_machine_or_do_not) {
  const MessageCosts units{{1, 1, 1, 1, 1}, {0, 0, 0, 0, 0}, 1, 0, 0};
  EXPECT_DOUBLE_EQ(vectors_time({}, false, units, 4), 5 + 1 + 1 + 11 + 3);
  const std::vector<std::uint32_t> manual = {3, 4, 2, 3, 8};
  EXPECT_DOUBLE_EQ(vectors_time(manual, false, units, 4), 2 + 3 + 1 + 2 + 7);
  // Nodes in turn: all that a manual level gathers crosses the network.
  const MessageCosts network{{1, 1, 0, 0, 0}, {0, 0, 0, 0, 0}, 1, 0, 0};
  EXPECT_DOUBLE_EQ(vectors_time({}, true, network, 4), 11 + 3);
  EXPECT_DOUBLE_EQ(vectors_time(manual, true, network, 4), 7 + 2);  // 24 apart: the same node
}

TEST(Messages, algorithms_in_proportion_to_ranks_gain_and_trees_do_not) {
  EXPECT_EQ(which_reductions_gain().verdict, ClaimVerdict::holds_in_box);
}

}  // namespace
}  // namespace terrace::papers
