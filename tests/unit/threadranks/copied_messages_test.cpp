// SPDX-License-Identifier: BSD-3-Clause
// Goal: blocks for copies of messages come back to the rank that needs them.
#include "threadranks/matching/copied_messages.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace terrace::threadranks {
namespace {

constexpr int kAll = 256, kMostKept = 8;

std::vector<CopiedMessage*> taken_from(CopiedMessages& sender, int count) {
  std::vector<CopiedMessage*> blocks;
  for (int i = 0; i < count; ++i)
    if (CopiedMessage* const block = sender.take()) blocks.push_back(block);
  return blocks;
}

TEST(CopiedMessages, are_so_many_and_come_back) {
  CopiedMessages sender;
  const auto blocks = taken_from(sender, kAll + 1);
  ASSERT_EQ(blocks.size(), std::size_t{kAll});
  for (CopiedMessage* const block : blocks) CopiedMessages::give_back(*block);
  EXPECT_EQ(taken_from(sender, kAll + 1).size(), std::size_t{kAll});
}

TEST(CopiedMessages, are_not_kept_by_ranks_that_only_receive) {
  CopiedMessages sender;
  std::vector<CopiedMessages> receivers(2 * kAll / kMostKept);
  for (int round = 0; round < 2 * kMostKept; ++round)
    for (CopiedMessages& receiver : receivers) {
      CopiedMessage* const block = sender.take();
      ASSERT_NE(block, nullptr) << round;
      receiver.keep(*block);
    }
}

TEST(CopiedMessages, are_used_again_by_ranks_that_answer) {
  CopiedMessages one, other;
  other.keep(*one.take());
  one.keep(*other.take());
  CopiedMessage* const block = one.take();
  other.keep(*block);
  EXPECT_EQ(other.take(), block);
}

TEST(CopiedMessages, are_kept_by_a_few_only) {
  CopiedMessages sender, answering;
  const auto blocks = taken_from(sender, kAll);
  const auto answers = taken_from(answering, 20);
  for (std::size_t i = 0; i < answers.size(); ++i) answering.keep(*blocks[i]);
  EXPECT_EQ(taken_from(sender, kAll).size(), answers.size() - kMostKept);
}

}  // namespace
}  // namespace terrace::threadranks
