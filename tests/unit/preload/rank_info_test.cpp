// SPDX-License-Identifier: BSD-3-Clause
// What ranks conclude from each other's rank infos.
#include "preload/setup/rank_info.hpp"

#include <gtest/gtest.h>

#include <vector>

using terrace::preload::are_scheduled_together;
using terrace::preload::RankInfo;

TEST(RankInfos, of_one_scheduling_group_are_scheduled_together) {
  std::vector<RankInfo> ranks(3);
  for (RankInfo& one : ranks) one.scheduling_group = 7;
  EXPECT_TRUE(are_scheduled_together(ranks));
  ranks[2].scheduling_group = 8;
  EXPECT_FALSE(are_scheduled_together(ranks));
}
