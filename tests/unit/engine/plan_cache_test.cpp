// SPDX-License-Identifier: BSD-3-Clause
// Goal: a rank gets the same program, whether the programs of all ranks are made at once or not.
#include "engine/plan_cache.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace terrace {
namespace {

PlanCache::Key key_of(const char* algorithm, Lowering lowering, std::uint32_t pockets = 1) {
  PlanCache::Key key;
  key.algorithm = algorithm;
  key.lowering = lowering;
  key.pockets = pockets;
  return key;
}

TEST(PlanCache, gives_all_ranks_at_once_what_each_would_get_alone) {
  for (const Rank ranks : {5u, 130u})
    for (const auto& key :
         {key_of("alltoall.flat", Lowering::owner), key_of("allgather.all_read", Lowering::lines),
          key_of("gather.flat", Lowering::owner)}) {
      PlanCache of_all(flat_hierarchy(ranks), Askers::all_ranks);
      for (const Rank rank : {Rank{0}, ranks / 2, ranks - 1}) {
        PlanCache of_one(flat_hierarchy(ranks), Askers::one_rank);
        const RankProgram* const one = of_one.program(key, rank);
        const RankProgram* const same = of_all.program(key, rank);
        ASSERT_TRUE(one != nullptr && same != nullptr) << key.algorithm;
        EXPECT_EQ(*one, *same) << key.algorithm << " of " << ranks;
      }
    }
}

/// Such a plan has more lines than a call may use.
TEST(PlanCache, has_no_program_for_a_plan_of_too_many_lines) {
  for (const Askers askers : {Askers::one_rank, Askers::all_ranks}) {
    PlanCache plans(flat_hierarchy(80), askers);
    for (const Rank rank : {0u, 79u})
      EXPECT_EQ(plans.program(key_of("alltoall.flat", Lowering::lines), rank), nullptr);
    EXPECT_NE(plans.program(key_of("alltoall.flat", Lowering::lines, 14), 1), nullptr);
  }
}

TEST(PlanCache, gives_ranks_that_ask_at_once_their_own_programs) {
  constexpr Rank kRanks = 4;
  PlanCache plans(flat_hierarchy(kRanks), Askers::all_ranks);
  std::vector<const RankProgram*> got(kRanks);
  {
    std::vector<std::jthread> threads;
    for (Rank rank = 0; rank < kRanks; ++rank)
      threads.emplace_back([&, rank] {
        got[rank] = plans.program(key_of("alltoall.all_read", Lowering::owner), rank);
      });
  }
  for (Rank rank = 0; rank < kRanks; ++rank) {
    ASSERT_NE(got[rank], nullptr);
    EXPECT_EQ(got[rank]->rank, rank);
    EXPECT_EQ(got[rank], plans.program(key_of("alltoall.all_read", Lowering::owner), rank));
  }
}

}  // namespace
}  // namespace terrace
