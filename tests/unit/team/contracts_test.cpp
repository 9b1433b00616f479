// SPDX-License-Identifier: BSD-3-Clause
// Goal: memory that is not laid out for a team is not used for one.
#include <gtest/gtest.h>

#include <vector>

#include "team/call_mismatch.hpp"
#include "team/memory.hpp"
#include "team/waiting.hpp"
#include "unit/contracts.hpp"

namespace terrace {
namespace {

TEST(TeamContracts, align_shares_with_pages) {
  std::vector<std::byte> room(4 * share_bytes(0));
  const auto address = reinterpret_cast<std::uintptr_t>(room.data());
  std::byte* const page = room.data() + (4096 - address % 4096);
  EXPECT_EQ(2u, laid_out(page, 2, 0).rank_count());
  EXPECT_BROKEN(laid_out(page + 64, 2, 0), "% kPageBytes == 0");
}

TEST(TeamContracts, count_steps_in_24_bits) {
  std::uint64_t steps = kDoneSteps + 1;
  EXPECT_BROKEN_IN_DEBUG_BUILDS(word_at(1, steps), "steps <= kDoneSteps");
}

TEST(TeamContracts, compare_a_rank_with_others_of_its_team) {
  ThreadMemory memory(2, 0);
  for (const RankMemory& rank : memory.memory().ranks) prepare(rank, 0);
  EXPECT_BROKEN_IN_DEBUG_BUILDS(difference_between(memory.memory(), 1, 1), "rank != peer");
  EXPECT_BROKEN_IN_DEBUG_BUILDS(find_mismatch(memory.memory(), 2), "rank < memory.rank_count");
}

}  // namespace
}  // namespace terrace
