// SPDX-License-Identifier: BSD-3-Clause
// The performance guidelines of Hunold and Traff, of the plans that `choose` takes, as predicted:
// no collective takes longer than others that could do its work. Where that is missed, `kMost` says
// by how much at the worst, so that it does not get worse, and docs/design/costs.md why
// (`choice_guidelines` lists every miss).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "explain/guidelines.hpp"
#include "machine_files/read_machine_model.hpp"

namespace terrace {
namespace {

using model::MachineModel;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSlow = true;  ///< few ranks, then
#else
constexpr bool kIsSlow = false;
#endif

/// What differs by less is as fast.
constexpr double kNoSlower = 1.05;

/// The worst on any machine of what is asked below, direct and bounced, a little more.
const std::map<std::string_view, std::pair<double, double>> kMost = {
    {"allgather <= alltoall", {1.8, 1.15}},
    {"allgather <= gather + bcast", {1.2, 1.3}},
    {"allreduce <= reduce + bcast", {2.5, 3.0}},
    {"allreduce <= reduce_scatter + allgather", {3.6, 3.0}},
    {"barrier <= allreduce", {kNoSlower, kNoSlower}},
    {"bcast <= allgather of whole vectors", {kNoSlower, kNoSlower}},
    {"bcast <= scatter + allgather", {1.4, 1.25}},
    {"gather <= allgather", {kNoSlower, 1.4}},
    {"longer vectors are not faster", {1.15, kNoSlower}},
    {"reduce <= allreduce", {kNoSlower, 1.4}},
    {"reduce <= reduce_scatter + gather", {1.5, 3.1}},
    {"reduce_scatter <= reduce + scatter", {kNoSlower, 1.4}},
    {"scatter <= bcast", {1.4, 1.45}},
};

std::vector<std::string> machines() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(TERRACE_SOURCE_DIR "/machines"))
    names.push_back(entry.path().stem().string());
  return names;
}

struct Count {
  int looked_at = 0, missed = 0;
};

class Guidelines : public testing::TestWithParam<std::string> {
 protected:
  Guidelines()
      : model_(model::read_machine_model(TERRACE_SOURCE_DIR "/machines/" + GetParam() + ".json")
                   .value()) {}

  std::vector<Locality> all_cores() const {
    const auto cores =
        static_cast<Rank>(resources_at(model::machine_of(model_).value(), "core").size());
    return model::localities_on(model_, cores).value();
  }
  /// So many ranks, or as many as there are cores.
  void check(Rank ranks, bool is_spread, Count& count) const {
    const std::vector<Locality> all = all_cores();
    ranks = std::min(ranks, static_cast<Rank>(all.size()));
    const RankPlatform platform(model_, explain::some_places(all, ranks, is_spread).value());
    for (const std::size_t bytes : {8u, 512u, 8192u, 131072u, 2097152u})
      for (const bool is_direct : {true, false}) check(platform, is_direct, bytes, count);
  }

 private:
  void check(const RankPlatform& platform, bool is_direct, std::size_t bytes, Count& count) const {
    const auto all = explain::guided(platform, is_direct, bytes);
    ASSERT_TRUE(all) << all.error().sentence;
    for (const explain::Guided& one : all.value()) {
      ++count.looked_at;
      count.missed += one.ratio > kNoSlower;
      const auto& most = kMost.at(one.guideline);
      EXPECT_LE(one.ratio, is_direct ? most.first : most.second)
          << one.guideline << ", " << platform.places.size() << " ranks, " << one.bytes
          << " bytes, " << (is_direct ? "direct" : "bounced");
    }
  }

  MachineModel model_;
};

TEST_P(Guidelines, are_kept_or_missed_by_no_more_than_is_known) {
  Count count;
  check(4, true, count);
  if (!kIsSlow) {
    check(16, true, count);
    check(8, false, count);
  }
  EXPECT_GT(count.looked_at, 30);
  EXPECT_LT(count.missed, count.looked_at / 8);
}

INSTANTIATE_TEST_SUITE_P(OfEachMachine, Guidelines, testing::ValuesIn(machines()),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace terrace
