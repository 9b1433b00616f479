// SPDX-License-Identifier: BSD-3-Clause
// Goal: memory that is not laid out for a team is not used for one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "team/call_mismatch.hpp"
#include "team/memory.hpp"
#include "team/waiting.hpp"
#include "unit/contracts.hpp"

namespace terrace {
namespace {

// Pages may have 64 KiB on AArch64: a page that held parts of two shares would lie near one rank.
TEST(TeamContracts, align_shares_with_pages) {
  for (const std::size_t page : {std::size_t{4096}, std::size_t{16384}, std::size_t{65536}}) {
    const std::size_t share = share_bytes(100, page);
    EXPECT_EQ(0u, share % page) << page;
    EXPECT_GE(share, share_bytes(100, 1)) << page;
    EXPECT_LT(share, share_bytes(100, 1) + page) << page;
    std::vector<std::byte> room(2 * share + page);
    const auto address = reinterpret_cast<std::uintptr_t>(room.data());
    std::byte* const place = room.data() + (page - address % page);
    const TeamMemory memory = laid_out(place, 2, 100, page);
    ASSERT_EQ(2u, memory.rank_count());
    for (Rank rank = 0; rank < 2; ++rank) {
      const auto* const first = reinterpret_cast<const std::byte*>(memory.ranks[rank].word);
      EXPECT_EQ(place + rank * share, first) << page;
      EXPECT_LE(memory.ranks[rank].scratch + 100, first + share) << page;
    }
    EXPECT_BROKEN(laid_out(place + page / 2, 2, 100, page), "% page == 0");
  }
}

TEST(TeamContracts, take_pages_as_long_as_the_systems) {
  EXPECT_EQ(share_bytes(0, static_cast<std::size_t>(sysconf(_SC_PAGESIZE))), share_bytes(0));
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
