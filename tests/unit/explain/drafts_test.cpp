// SPDX-License-Identifier: BSD-3-Clause
// Plans that calls share, and what is predicted with them.
#include <gtest/gtest.h>

#include "machine_files/read_machine_model.hpp"
#include "unit/explain/calls.hpp"

namespace terrace::explain {
namespace {

const model::MachineModel& westmere() {
  static const model::MachineModel machine =
      model::read_machine_model(TERRACE_SOURCE_DIR "/machines/westmere-x5650.json").value();
  return machine;
}

Choice choice_of(const char* algorithm, std::uint32_t radix) {
  Choice choice;
  choice.algorithm = algorithm;
  choice.radix = radix;
  choice.strip_bytes = kWhole;
  return choice;
}

TEST(Drafts, AreMadeOnceForAllSizesThatRunThem) {
  const RankPlatform platform(westmere(), model::localities_on(westmere(), 12).value());
  Drafts drafts(platform);
  const auto lowered = [&](std::size_t bytes, const char* algorithm, std::uint32_t radix) {
    return drafts.find(call_of(Collective::allreduce, bytes), choice_of(algorithm, radix))
        .value()
        .lowered;
  };
  const auto tree = lowered(65536, "allreduce.tree", 2);
  EXPECT_EQ(lowered(4096, "allreduce.tree", 2), tree);
  EXPECT_NE(lowered(8, "allreduce.tree", 2), tree) << "in lines";
  EXPECT_NE(lowered(4096, "allreduce.tree", 8), tree) << "other steps";
  EXPECT_EQ(lowered(4096, "allreduce.push", 2), lowered(65536, "allreduce.push", 8));
}

TEST(Drafts, OfBlocksForEachRankHaveAsManyPocketsAsFit) {
  const RankPlatform platform(westmere(), model::localities_on(westmere(), 12).value());
  Drafts drafts(platform);
  const auto pockets = [&](std::size_t bytes) {
    return drafts.find(call_of(Collective::scatter, bytes), choice_of("scatter.flat", 8))
        .value()
        .lowered->pockets;
  };
  EXPECT_NE(pockets(8), pockets(48));
}

/// Each choice for several sizes, with drafts of the sizes before and alone.
TEST(Drafts, ChangeNoPrediction) {
  const RankPlatform platform(westmere(), model::localities_on(westmere(), 6).value());
  for (const Collective collective : {Collective::allreduce, Collective::alltoall}) {
    Drafts drafts(platform);
    for (const std::size_t bytes : {8, 64, 4096, 1 << 21})
      for (const Choice& choice :
           all_candidates(candidates_about(call_of(collective, bytes), platform))) {
        const auto shared = predict(call_of(collective, bytes), choice, drafts);
        const auto alone = predict(call_of(collective, bytes), choice, platform);
        ASSERT_EQ(bool(shared), bool(alone)) << choice.algorithm << ' ' << bytes;
        if (!shared) continue;
        EXPECT_EQ(shared.value().cost.total, alone.value().cost.total) << choice.algorithm;
        EXPECT_EQ(*shared.value().plan, *alone.value().plan) << choice.algorithm;
      }
  }
}

}  // namespace
}  // namespace terrace::explain
