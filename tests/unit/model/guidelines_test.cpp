// SPDX-License-Identifier: BSD-3-Clause
// The performance guidelines of Hunold and Traff, of the plans that `choose` takes, as predicted:
// no collective takes longer than others that could do its work. `choose` knows measurements with
// two ranks; where 16 miss a guideline, `most` says by how much, so that it does not get worse
// (docs/design/costs.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "api/prediction.hpp"
#include "model/read_machine_model.hpp"

namespace terrace {
namespace {

using model::MachineModel;

constexpr Rank kRanks = 16;

std::vector<std::string> machines() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(TERRACE_SOURCE_DIR "/machines"))
    names.push_back(entry.path().stem().string());
  return names;
}

/// So many ranks, evenly over the cores of one node, or as many as it has.
std::vector<Locality> spread(const MachineModel& model) {
  const auto cores =
      static_cast<Rank>(resources_at(model::machine_of(model).value(), "core").size());
  const std::vector<Locality> all = model::localities_on(model, cores).value();
  std::vector<Locality> some;
  const Rank ranks = std::min(kRanks, cores);
  for (Rank rank = 0; rank < ranks; ++rank) some.push_back(all[std::size_t{rank} * cores / ranks]);
  return some;
}

class Guidelines : public testing::TestWithParam<std::string> {
 protected:
  Guidelines()
      : model_(model::read_machine_model(TERRACE_SOURCE_DIR "/machines/" + GetParam() + ".json")
                   .value()),
        scene_(model_, spread(model_)) {}

  double time(Collective collective, std::size_t bytes) {
    Predicted call;
    call.collective = collective;
    call.bytes = bytes;
    call.is_direct = is_direct_;
    const Result<Prediction> result = predict(call, scene_);
    EXPECT_TRUE(result.ok()) << (result ? "" : result.error().sentence);
    return result ? result.value().cost.total : 0;
  }
  void expect_no_slower(const char* what, double one, double others, std::size_t bytes,
                        double most = 1.05) {
    EXPECT_LE(one, most * others) << what << ", " << bytes << " bytes, "
                                  << (is_direct_ ? "direct" : "bounced");
  }
  void check(std::size_t n);

  MachineModel model_;
  Scene scene_;
  bool is_direct_ = true;
};

void Guidelines::check(std::size_t n) {
  using enum Collective;
  const std::size_t p = scene_.places.size(), share = std::max<std::size_t>(n / p, 1);
  const double whole_allreduce = time(allreduce, n), whole_bcast = time(bcast, n);
  const double all = time(allgather, share), own = time(gather, share);
  expect_no_slower("allreduce, reduce + bcast", whole_allreduce, time(reduce, n) + whole_bcast, n,
                   1.3);
  expect_no_slower("allreduce, reduce_scatter + allgather", whole_allreduce,
                   time(reduce_scatter_block, share) + all, n, 5.7);
  expect_no_slower("bcast, scatter + allgather", whole_bcast, time(scatter, share) + all, n, 3.3);
  expect_no_slower("reduce, allreduce", time(reduce, n), whole_allreduce, n,
                   is_direct_ ? 1.25 : 3.5);
  expect_no_slower("reduce_scatter, reduce + scatter", time(reduce_scatter_block, share),
                   time(reduce, n) + time(scatter, share), n, is_direct_ ? 2.3 : 1.05);
  expect_no_slower("allgather, gather + bcast", all, own + whole_bcast, n);
  expect_no_slower("allgather, alltoall", all, time(alltoall, share), n, 1.55);
  expect_no_slower("gather, allgather", own, all, n, is_direct_ ? 1.05 : 1.25);
  expect_no_slower("scatter, bcast", time(scatter, share), whole_bcast, n);
  expect_no_slower("barrier, allreduce", time(barrier, 0), whole_allreduce, n);
}

TEST_P(Guidelines, hold_for_the_plans_we_choose) {
  for (const bool is_direct : {true, false}) {
    is_direct_ = is_direct;
    for (std::size_t n = 128; n <= std::size_t{64} << 20; n *= 8) check(n);
  }
}

INSTANTIATE_TEST_SUITE_P(OfEachMachine, Guidelines, testing::ValuesIn(machines()),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace terrace
