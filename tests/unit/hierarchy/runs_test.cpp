// SPDX-License-Identifier: BSD-3-Clause
// Goal: runs are of neighbours, even, no longer than 8, and hold each rank once.
#include <gtest/gtest.h>

#include "hierarchy/hierarchy.hpp"

namespace terrace {
namespace {

TEST(Runs, are_even_and_hold_each_rank_once) {
  for (Rank ranks = 9; ranks <= 130; ++ranks) {
    const Hierarchy hierarchy = hierarchy_of_runs(ranks);
    std::vector<Rank> all;
    std::size_t least = 8, most = 0;
    for (const Group& run : hierarchy.all.children) {
      all.insert(all.end(), run.ranks.begin(), run.ranks.end());
      least = std::min(least, run.ranks.size());
      most = std::max(most, run.ranks.size());
    }
    EXPECT_EQ(all, flat_hierarchy(ranks).all.ranks);
    EXPECT_LE(most, 8u);
    EXPECT_LE(most - least, 1u) << ranks << " ranks";
  }
}

TEST(Runs, are_no_more_than_one_of_few_ranks) {
  for (const Rank ranks : {0u, 1u, 2u, 8u})
    EXPECT_EQ(hierarchy_of_runs(ranks), flat_hierarchy(ranks));
}

}  // namespace
}  // namespace terrace
