// SPDX-License-Identifier: BSD-3-Clause
// Nestings of ranks, and the plans found on them: complete, sorted, proved.
#include "explain/search.hpp"

#include <gmock/gmock.h>

#include <set>

#include "machine_files/read_machine_model.hpp"
#include "plan/lower.hpp"
#include "verify/verify.hpp"

namespace terrace::explain {
namespace {

std::vector<std::string> texts_of(const std::vector<Nested>& nestings) {
  std::vector<std::string> texts;
  for (const Nested& nesting : nestings) texts.push_back(nesting.text);
  return texts;
}

void expect_nested(const Group& group) {
  std::set<Rank> together;
  for (const Group& child : group.children) {
    EXPECT_LT(child.ranks.size(), group.ranks.size());
    together.insert(child.ranks.begin(), child.ranks.end());
    expect_nested(child);
  }
  if (!group.children.empty()) {
    EXPECT_EQ(together, std::set<Rank>(group.ranks.begin(), group.ranks.end()));
  }
}

TEST(Nestings, OfEightRanks) {
  std::size_t left = 1;
  const auto nestings = nestings_of(flat_hierarchy(8), 400, left);
  EXPECT_EQ(left, 0u);
  EXPECT_EQ(texts_of(nestings), (std::vector<std::string>{"as the machine", "8", "2 x 4", "3 x 3",
                                                          "4 x 2", "2 x 2 x 2"}));
}

TEST(Nestings, AreStrictAndCoverAllRanks) {
  for (const Rank ranks : {2u, 3u, 7u, 12u, 16u}) {
    std::size_t left = 0;
    for (const Nested& nesting : nestings_of(flat_hierarchy(ranks), 400, left)) {
      EXPECT_EQ(nesting.hierarchy.rank_count(), ranks);
      expect_nested(nesting.hierarchy.all);
    }
  }
}

TEST(Nestings, BeyondTheLimitAreCounted) {
  std::size_t left = 0;
  EXPECT_EQ(nestings_of(flat_hierarchy(8), 3, left).size(), 4u);
  EXPECT_EQ(left, 2u);
}

TEST(Nestings, KeepNeighboursOfTheMachineTogether) {
  // Ranks 0 and 2 share a cache, and so do 1 and 3.
  Hierarchy machine = flat_hierarchy(4);
  machine.all.children = {{"l3", 0, {0, 2}, {}}, {"l3", 1, {1, 3}, {}}};
  std::size_t left = 0;
  const auto nestings = nestings_of(machine, 400, left);
  ASSERT_EQ(nestings.back().text, "2 x 2");
  EXPECT_EQ(nestings.back().hierarchy.all.children.front().ranks, (std::vector<Rank>{0, 2}));
}

class SearchOn : public testing::Test {
 protected:
  SearchResult search_for(Collective collective, std::size_t bytes, Rank root = 0) {
    Predicted call;
    call.collective = collective;
    call.bytes = bytes;
    call.root = root;
    return search(call, platform_).value();
  }

  model::MachineModel machine_ =
      model::read_machine_model(TERRACE_SOURCE_DIR "/machines/westmere-x5650.json").value();
  RankPlatform platform_{machine_, model::localities_on(machine_, 8).value()};
};

TEST_F(SearchOn, FindsNoWorseThanTheTables) {
  for (const Collective collective : {Collective::allreduce, Collective::bcast, Collective::scan})
    for (const std::size_t bytes : {8u, 65536u}) {
      Predicted call;
      call.collective = collective;
      call.bytes = bytes;
      const SearchResult found = search_for(collective, bytes);
      EXPECT_LE(found.best.front().prediction.cost.total,
                1.001 * predict_chosen(call, platform_).value().cost.total)
          << to_text(collective) << ' ' << bytes;
    }
}

// On this machine a nesting by L3s alone is nearly twice as fast as one by all levels.
TEST(Search, FindsLittleThatTeamsDoNotChoose) {
  const auto machine =
      model::read_machine_model(TERRACE_SOURCE_DIR "/machines/rome-2x64.json").value();
  const RankPlatform platform(machine, model::localities_on(machine, 24).value());
  Predicted call;
  call.collective = Collective::allreduce;
  call.bytes = 1024;
  call.is_direct = false;
  const double best = search(call, platform).value().best.front().prediction.cost.total;
  EXPECT_LE(predict_chosen(call, platform).value().cost.total, 1.05 * best);
}

TEST_F(SearchOn, ItsPlansAreDifferentAndSortedAndNoneIsRefused) {
  const SearchResult found = search_for(Collective::reduce, 8, 3);
  EXPECT_THAT(found.faults, testing::IsEmpty());
  ASSERT_EQ(found.best.size(), 5u);
  std::set<std::string> texts;
  for (std::size_t i = 0; i < found.best.size(); ++i) {
    texts.insert(to_text(*found.best[i].written));
    if (i > 0) {
      EXPECT_GE(found.best[i].prediction.cost.total, found.best[i - 1].prediction.cost.total);
    }
  }
  EXPECT_EQ(texts.size(), 5u);
  EXPECT_GT(found.plans, 5u);
}

TEST_F(SearchOn, WhatItWritesIsReadAndProvedAgain) {
  const SearchResult found = search_for(Collective::allreduce, 8);
  const Plan read = plan_from_text(to_text(*found.best.front().written)).value();
  const Plan lowered = lower(read, Lowering::lines).value();
  EXPECT_TRUE(verify(lowered, postcondition(Collective::allreduce, 8, 0)));
}

}  // namespace
}  // namespace terrace::explain
