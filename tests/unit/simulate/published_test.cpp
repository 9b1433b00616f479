// SPDX-License-Identifier: BSD-3-Clause
// The simulator against flat broadcasts that others have measured (XHC-OpenMPI, branch icpp-23,
// effect/data: medians of 30 runs), by the same algorithm. Nothing is fitted to these numbers: the
// test holds what docs/design/simulation.md says of how far off the predictions are.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "collectives/collectives.hpp"
#include "machine_files/read_machine_model.hpp"
#include "plan/lower.hpp"
#include "simulate/simulate.hpp"
#include "team/memory.hpp"

namespace terrace::simulate {
namespace {

constexpr std::array<std::size_t, 9> kBytes = {4,        64,       256,       1 << 10, 4 << 10,
                                               16 << 10, 64 << 10, 256 << 10, 1 << 20};

/// us, averages over ranks, of messages of so many bytes each.
struct Measured {
  const char* machine;
  Rank ranks;
  std::array<double, kBytes.size()> us;
};
const Measured kFlatBroadcasts[] = {
    {"ice-lake-2x24", 2, {.25, .27, .30, .39, .71, 2.02, 5.37, 13.9, 69.7}},
    {"ice-lake-2x24", 24, {.21, .20, .26, .42, .84, 2.56, 7.25, 22.7, 118}},
    {"ice-lake-2x24", 25, {.43, .42, .49, .62, 1.10, 2.89, 8.09, 31.4, 161}},
    {"ice-lake-2x24", 48, {.47, .46, .53, .63, 1.09, 2.98, 9.13, 32.6, 168}},
    {"cascade-lake-2x24", 24, {.21, .22, .29, .48, .89, 2.55, 7.83, 22.2, 114}},
    {"cascade-lake-2x24", 25, {.82, .82, .90, 1.21, 1.95, 5.62, 18.1, 66.6, 227}},
    {"cascade-lake-2x24", 48, {.72, .72, .84, 1.18, 1.92, 4.87, 13.0, 43.6, 207}},
    {"skylake-2x12", 12, {.19, .20, .24, .42, .71, 1.98, 6.76, 25.7, 105}},
    {"skylake-2x12", 24, {.61, .57, .65, .92, 1.40, 3.63, 12.6, 47.2, 178}},
};

double simulated_us(const Measured& measured, std::size_t bytes) {
  const auto machine = model::read_machine_model(TERRACE_SOURCE_DIR "/machines/" +
                                                 std::string(measured.machine) + ".json")
                           .value();
  const auto ranks = model::localities_on(machine, measured.ranks).value();
  const Plan plan = find_algorithm("bcast.flat")->write({hierarchy_of(ranks), 0, 8});
  const auto lowering = bytes <= kPayloadBytes ? Lowering::lines : Lowering::owner;
  SimulationSetting setting;
  setting.element_bytes = 1;
  setting.element_count = bytes;
  setting.calls = kLineSlots + 4;  // lines are in the state in which their readers leave them
  const auto outcome =
      simulate(machine, ranks, programs_of(lower(plan, lowering).value()), setting);
  return outcome.value().calls.back().mean / 1000;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

TEST(Published, flat_broadcasts_on_xeons_are_as_far_off_as_we_say) {
  std::vector<double> ratios, errors;
  for (const Measured& measured : kFlatBroadcasts)
    for (std::size_t i = 0; i < kBytes.size(); ++i) {
      const double ratio = simulated_us(measured, kBytes[i]) / measured.us[i];
      ratios.push_back(ratio);
      errors.push_back(std::abs(ratio - 1));
      EXPECT_TRUE(0.4 < ratio && ratio < 2.75) << measured.machine << ", " << measured.ranks
                                               << " ranks, " << kBytes[i] << " bytes: " << ratio;
    }
  EXPECT_NEAR(median(ratios), 1.12, 0.1);
  EXPECT_LT(median(errors), 0.3);
  EXPECT_GE(std::count_if(ratios.begin(), ratios.end(), [](double r) { return 0.5 < r && r < 2; }),
            70);
}

}  // namespace
}  // namespace terrace::simulate
