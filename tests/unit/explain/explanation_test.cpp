// SPDX-License-Identifier: BSD-3-Clause
// Why one algorithm beats another: order, reasons, sums that add up.
#include "explain/explanation.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "machine_files/read_machine_model.hpp"
#include "unit/explain/calls.hpp"

namespace terrace::explain {
namespace {

/// Ranks on a machine of the project's own files.
struct On {
  model::MachineModel machine;
  RankPlatform platform;

  On(const std::string& name, Rank ranks)
      : machine(
            model::read_machine_model(std::string(TERRACE_SOURCE_DIR "/machines/") + name + ".json")
                .value()),
        platform(machine, model::localities_on(machine, ranks).value()) {}
};

// Ranks of two nodes share no memory, so that only plans with messages are ways at all.
TEST(Explanation, AcrossNodesOnlyPlansWithMessagesAreCandidates) {
  const On on("ntw10e5", 48);
  const Explanation found = explain(call_of(Collective::allreduce, 8), on.platform).value();
  for (const Prediction& one : found.candidates)
    EXPECT_TRUE(one.plan->has_messages()) << one.choice.algorithm;
  EXPECT_FALSE(found.chosen.has_value());
  EXPECT_THAT(found.left_out, testing::Contains(testing::HasSubstr("is for one node")));
}

TEST(Explanation, ListsEveryAlgorithmOnceTheFastestFirst) {
  const On on("westmere-x5650", 12);
  const Explanation found = explain(call_of(Collective::allreduce, 65536), on.platform).value();
  std::vector<std::string> names;
  for (const Prediction& one : found.candidates) names.emplace_back(one.choice.algorithm);
  for (const std::string& why : found.left_out) names.push_back(why.substr(0, why.find(':')));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  for (const char* wanted : {"allreduce.push", "allreduce.tiled", "allreduce.tree"})
    EXPECT_THAT(names, testing::Contains(wanted));
  EXPECT_TRUE(
      std::is_sorted(found.candidates.begin(), found.candidates.end(),
                     [](const auto& a, const auto& b) { return a.cost.total < b.cost.total; }));
}

TEST(Explanation, TheChosenIsNeverFasterThanTheFastest) {
  const On on("magny-cours-6100", 32);
  for (const std::size_t bytes : {8u, 4096u, 1048576u}) {
    const Explanation found = explain(call_of(Collective::allreduce, bytes), on.platform).value();
    EXPECT_GE(found.chosen.value().cost.total, 0.999 * found.candidates.front().cost.total)
        << bytes;
  }
}

TEST(Explanation, ShortVectorsTravelInLines) {
  const On on("westmere-x5650", 12);
  const Explanation found = explain(call_of(Collective::bcast, 8), on.platform).value();
  EXPECT_EQ(found.candidates.front().plan->lowering, Lowering::lines);
  EXPECT_THAT(to_text(found.candidates.front()), testing::HasSubstr(" over lines"));
}

TEST(Explanation, ChangesBeginAtEightBytesAndDiffer) {
  const On on("westmere-x5650", 12);
  const auto changes = changes_of(call_of(Collective::allreduce, 64), on.platform).value();
  ASSERT_GE(changes.size(), 2u);
  EXPECT_EQ(changes.front().from_bytes, 8u);
  for (std::size_t i = 1; i < changes.size(); ++i) {
    EXPECT_NE(changes[i].algorithm, changes[i - 1].algorithm);
    EXPECT_GT(changes[i].from_bytes, changes[i - 1].from_bytes);
  }
}

TEST(Explanation, AtEachChangeThatAlgorithmIsTheFastest) {
  const On on("magny-cours-6100", 16);
  const auto changes = changes_of(call_of(Collective::reduce, 8), on.platform).value();
  for (const Change& change : changes) {
    const auto found = explain(call_of(Collective::reduce, change.from_bytes), on.platform).value();
    EXPECT_EQ(found.candidates.front().choice.algorithm, change.algorithm);
  }
}

TEST(Shares, AddUpToThePath) {
  const On on("magny-cours-6100", 32);
  const Explanation found = explain(call_of(Collective::allreduce, 65536), on.platform).value();
  const model::Cost& cost = found.candidates.front().cost;
  double spent = 0, shared = 0;
  for (const model::CostPart& part : cost.spent) spent += part.ns;
  for (const CostShare& share : shares_of(cost, on.machine)) shared += share.ns;
  EXPECT_GT(spent, 0);
  EXPECT_DOUBLE_EQ(shared, spent);
}

model::Cost cost_of_parts(std::vector<model::CostPart> parts) {
  model::Cost cost;
  for (const model::CostPart& part : parts) cost.total += part.ns;
  cost.spent = std::move(parts);
  return cost;
}

TEST(Difference, NamesCauseAndDistance) {
  const On on("magny-cours-6100", 32);
  const auto at = [&](std::string_view name) {
    const auto found = std::find_if(on.machine.distances.begin(), on.machine.distances.end(),
                                    [&](const auto& one) { return one.name == name; });
    return static_cast<std::uint32_t>(found - on.machine.distances.begin());
  };
  const model::Cost fast = cost_of_parts({{model::Cause::lines, at("l3"), 100}});
  const model::Cost slow = cost_of_parts(
      {{model::Cause::latency, at("diagonal"), 210}, {model::Cause::lines, at("l3"), 40}});
  EXPECT_EQ(difference(slow, fast, on.machine),
            "+210.0 ns for first lines of values (diagonal), -60.0 ns for the lines behind them "
            "(l3)");
  EXPECT_EQ(difference(fast, fast, on.machine), "hardly anything");
}

TEST(Explanation, SaysWhatDoesNotFit) {
  const On on("westmere-x5650", 12);
  Predicted call = call_of(Collective::allreduce, 8);
  call.collective = Collective::alltoall;
  call.bytes = 1 << 20;
  const auto found = explain(call, on.platform);
  ASSERT_TRUE(found) << found.error().sentence;
  for (const std::string& why : found.value().left_out)
    EXPECT_THAT(why, testing::HasSubstr("alltoall."));
}

}  // namespace
}  // namespace terrace::explain
