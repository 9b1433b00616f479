// SPDX-License-Identifier: BSD-3-Clause
// Goal: a process lends no more memory than its limit, though no team has been set up yet.
#include "preload/setup/memory_offer.hpp"

#include <gtest/gtest.h>

#include <list>

#include "preload/setup/team.hpp"

namespace terrace::preload {
namespace {

TEST(MakeMemory, counts_what_no_team_has_yet) {
  constexpr Rank kRanks = 64;
  constexpr std::size_t kMost = std::size_t{2} << 30;
  SharedMemoryOffer first, other;
  const std::size_t before = SharedMemoryInUse::total();
  {
    std::list<SharedMemoryInUse> lent;
    ASSERT_NE(make_memory(kRanks, first, lent.emplace_back()), nullptr);
    const std::size_t of_first = SharedMemoryInUse::total() - before;
    EXPECT_GE(of_first, kRanks * first.scratch_bytes);
    // None of it is touched, and nothing stays mapped.
    for (std::size_t i = 0; i <= kMost / (kRanks * least_scratch_bytes(kRanks)); ++i)
      if (!make_memory(kRanks, other, lent.emplace_back())) break;
    EXPECT_FALSE(other.is_made);
    EXPECT_NE(std::string(other.why.data()).find("limit of memory"), std::string::npos);
    EXPECT_LE(SharedMemoryInUse::total(), kMost);
    EXPECT_LT(other.scratch_bytes, first.scratch_bytes);
  }
  EXPECT_EQ(SharedMemoryInUse::total(), before);
}

}  // namespace
}  // namespace terrace::preload
