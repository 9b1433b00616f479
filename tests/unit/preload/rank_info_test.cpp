// SPDX-License-Identifier: BSD-3-Clause
// What ranks conclude from each other's rank infos.
#include "preload/setup/rank_info.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "preload/mpi/settings.hpp"
#include "unit/contracts.hpp"

using terrace::preload::are_scheduled_together;
using terrace::preload::hierarchy_over_nodes;
using terrace::preload::RankInfo;

TEST(RankInfos, of_one_scheduling_group_are_scheduled_together) {
  std::vector<RankInfo> ranks(3);
  for (RankInfo& one : ranks) one.scheduling_group = 7;
  EXPECT_TRUE(are_scheduled_together(ranks));
  ranks[2].scheduling_group = 8;
  EXPECT_FALSE(are_scheduled_together(ranks));
}

namespace {

std::vector<RankInfo> ranks_at(const std::vector<std::string>& localities) {
  std::vector<RankInfo> ranks(localities.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    std::copy(localities[rank].begin(), localities[rank].end(), ranks[rank].locality.begin());
  return ranks;
}

}  // namespace

// Each node calls itself the first.
TEST(RankInfos, tell_the_groups_within_nodes_and_the_nodes) {
  const auto hierarchy =
      hierarchy_over_nodes(ranks_at({"node:0/package:0/core:0", "node:0/package:0/core:0",
                                     "node:0/package:1/core:4", "node:0/package:1/core:4"}),
                           std::vector<terrace::Rank>{0, 1, 0, 1});
  EXPECT_EQ(hierarchy.nodes, (std::vector<std::uint32_t>{0, 1, 0, 1}));
  ASSERT_EQ(hierarchy.all.children.size(), 2u);
  EXPECT_EQ(hierarchy.all.children[0].ranks, (std::vector<terrace::Rank>{0, 2}));
  EXPECT_EQ(hierarchy.all.children[0].children.size(), 2u);
}

TEST(RankInfos, tell_the_nodes_alone_where_a_rank_does_not_know_its_place) {
  const auto hierarchy = hierarchy_over_nodes(
      ranks_at({"node:0/package:0/core:0", "node:0/package:1/core:4", "", "node:0/core:1"}),
      std::vector<terrace::Rank>{0, 0, 1, 1});
  EXPECT_EQ(hierarchy.nodes, (std::vector<std::uint32_t>{0, 0, 1, 1}));
  ASSERT_EQ(hierarchy.all.children.size(), 2u);
  EXPECT_TRUE(hierarchy.all.children[0].children.empty());
}

TEST(RankInfoContracts, have_texts_that_end_and_a_process) {
  const RankInfo own = terrace::preload::own_rank_info("");
  terrace::preload::require_sound(own);
  RankInfo wrong = own;
  wrong.locality.fill('x');
  EXPECT_BROKEN(require_sound(wrong), "info.locality.back");
  wrong = own;
  wrong.host.fill('x');
  EXPECT_BROKEN(require_sound(wrong), "info.host.back");
  wrong = own;
  wrong.process = 0;
  EXPECT_BROKEN(require_sound(wrong), "info.process > 0");
  wrong = own;
  wrong.proof.address = 0;
  EXPECT_BROKEN(require_sound(wrong), "info.proof.address != 0");
}

TEST(TeamSettingsContracts, are_settings_that_a_leader_can_have_read) {
  terrace::preload::TeamSettings settings;
  settings.off = (1u << terrace::kAllCollectives) - 1;
  terrace::preload::require_sound(settings);
  settings.off <<= 1;
  EXPECT_BROKEN(require_sound(settings), "settings.off >> kAllCollectives == 0");
  settings = {};
  settings.reach = static_cast<terrace::preload::ReachWanted>(4);
  EXPECT_BROKEN(require_sound(settings), "settings.reach <= ReachWanted::attached");
  settings = {};
  settings.trials = static_cast<terrace::preload::TrialSetting>(3);
  EXPECT_BROKEN(require_sound(settings), "settings.trials <= TrialSetting::any_sums");
}
