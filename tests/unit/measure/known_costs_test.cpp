// SPDX-License-Identifier: BSD-3-Clause
// Goal: what was measured is found again where it holds, and nowhere else. Method: files in a
// folder of the test's own, right, damaged and of others.
#include "measure/known_costs.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace terrace::measure {
namespace {

using model::MachineCosts;

/// Two cores whose lines take so long.
MachineCosts costs_with(double signal) {
  MachineCosts costs = model::assumed_costs();
  costs.links.resize(1);
  costs.links[0].level = "node";
  costs.links[0].signal = signal;
  return costs;
}

class KnownCostsFile : public testing::Test {
 protected:
  KnownCostsFile() {
    std::string name = (std::filesystem::temp_directory_path() / "terrace-costs-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~KnownCostsFile() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ / "below" / "costs"; }
  void write(const std::string& text) const {
    std::filesystem::create_directories(folder_ / "below");
    std::ofstream(path()) << text;
  }
  /// What a process finds that starts now.
  std::optional<MachineCosts> found(double signal, const std::string& processor = "one") const {
    const auto known = KnownCosts(processor, path()).find({"node"}, {signal});
    return known ? std::optional(known->costs) : std::nullopt;
  }
  /// What it finds at another time.
  std::optional<CostsFound> found_at(std::int64_t time) const {
    return KnownCosts("one", path(), [time] { return time; }).find({"node"}, {50});
  }
  /// A process measures at that time.
  MachineCosts remember_at(std::int64_t time, const MachineCosts& costs) const {
    return KnownCosts("one", path(), [time] { return time; }).remember(costs);
  }

  std::filesystem::path folder_;
};

TEST_F(KnownCostsFile, tells_later_processes) {
  EXPECT_FALSE(found(50));
  KnownCosts("one", path()).remember(costs_with(50));
  ASSERT_TRUE(found(50));
  EXPECT_EQ(*found(50), costs_with(50));
}

TEST_F(KnownCostsFile, is_another_for_each_kind_of_processor) {
  setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  for (const std::string processor : {"one, 2 processors", "other, 2 processors"})
    KnownCosts(processor, costs_path(processor)).remember(costs_with(50));
  for (const std::string processor : {"one, 2 processors", "other, 2 processors"})
    EXPECT_TRUE(KnownCosts(processor, costs_path(processor)).find({"node"}, {50})) << processor;
  unsetenv("XDG_CACHE_HOME");
}

TEST_F(KnownCostsFile, keeps_a_set_for_each_regime) {
  KnownCosts known("one", path());
  known.remember(costs_with(50));
  known.remember(costs_with(220));
  EXPECT_EQ(found(55)->links[0].signal, 50);
  EXPECT_EQ(found(200)->links[0].signal, 220);
  EXPECT_FALSE(found(100));
}

/// As costs_with, but lines of long values take so long to write.
MachineCosts costs_with_write(double ns) {
  MachineCosts costs = costs_with(50);
  for (model::ScratchCopy& copy : costs.links[0].copies) copy.write = ns;
  return costs;
}

constexpr std::int64_t kTime = 1'800'000'000, kMinute = 60, kDay = 86400;

TEST_F(KnownCostsFile, believes_the_median_of_three_measurements) {
  std::int64_t time = kTime;
  for (const auto& [measured, expected] :
       {std::pair{90.0, 90.0}, {3.0, 3.0}, {4.0, 4.0}, {60.0, 4.0}, {5.0, 5.0}}) {
    const MachineCosts told = remember_at(time += kMinute, costs_with_write(measured));
    EXPECT_EQ(found_at(time)->costs.links[0].copies[0].write, expected)
        << "after one that says " << measured;
    EXPECT_EQ(told, found_at(time)->costs) << "the rank that measured believes the same";
  }
}

TEST_F(KnownCostsFile, wants_three_measurements_and_none_older_than_a_month) {
  for (int number = 1; number <= 3; ++number) {
    const std::int64_t time = kTime + number * kMinute;
    remember_at(time, costs_with_write(90 + number));
    EXPECT_EQ(found_at(time + kMinute)->is_settled, number == 3) << number;
  }
  EXPECT_TRUE(found_at(kTime + 30 * kDay)->is_settled);
  EXPECT_FALSE(found_at(kTime + 30 * kDay + 4 * kMinute)->is_settled);
  EXPECT_TRUE(found_at(kTime - kDay)->is_settled) << "by the clock of another process";
  EXPECT_FALSE(found_at(kTime - 40 * kDay)->is_settled) << "the clock has been set since";
  EXPECT_EQ(found_at(kTime + 40 * kDay)->costs, costs_with_write(93))
      << "until there are newer ones";
  remember_at(kTime + 40 * kDay, costs_with_write(3));
  EXPECT_EQ(found_at(kTime + 40 * kDay)->costs, costs_with_write(3)) << "old ones are forgotten";
}

/// A long job measures again after others have: its own first measurement is the one that goes.
TEST_F(KnownCostsFile, forgets_the_oldest_measurement_whoever_made_it) {
  std::int64_t time = kTime;
  KnownCosts known("one", path(), [&] { return time; });
  known.remember(costs_with_write(90));
  remember_at(time += kMinute, costs_with_write(3));
  remember_at(time += kMinute, costs_with_write(4));
  time += kMinute;
  EXPECT_EQ(known.remember(costs_with_write(5)), costs_with_write(4));
  EXPECT_EQ(found_at(time)->costs, costs_with_write(4));
}

/// Whatever runs beside one runs beside the other, and leaders of several teams at once disturb
/// each other.
TEST_F(KnownCostsFile, counts_one_measurement_a_minute) {
  remember_at(kTime, costs_with_write(3));
  EXPECT_TRUE(found_at(kTime + kMinute - 1)->is_settled);
  EXPECT_FALSE(found_at(kTime + kMinute)->is_settled);
  remember_at(kTime + 1, costs_with_write(90));
  remember_at(kTime + 2, costs_with_write(91));
  EXPECT_EQ(found_at(kTime + kMinute)->costs, costs_with_write(3));
}

TEST_F(KnownCostsFile, lets_a_process_measure_a_regime_once) {
  std::int64_t time = kTime;
  KnownCosts known("one", path(), [&] { return time; });
  known.remember(costs_with(50));
  known.accept(costs_with(400));
  remember_at(time, costs_with(220));
  time += kMinute;
  EXPECT_TRUE(known.find({"node"}, {50})->is_settled);
  EXPECT_FALSE(found_at(time)->is_settled);
  EXPECT_FALSE(KnownCosts("one", path(), [&] { return time; }).find({"node"}, {220})->is_settled);
}

TEST_F(KnownCostsFile, tells_how_far_measurements_of_a_regime_disagree) {
  remember_at(kTime, costs_with(220));
  std::int64_t time = kTime;
  for (const double ns : {3, 30, 6}) remember_at(time += kMinute, costs_with_write(ns));
  const auto regimes = KnownCosts("one", path(), [&] { return time; }).regimes();
  ASSERT_EQ(regimes.size(), 2u);
  EXPECT_EQ(regimes[0].signal, 50);
  EXPECT_EQ(regimes[0].measurements, 3u);
  EXPECT_TRUE(regimes[0].is_settled);
  EXPECT_DOUBLE_EQ(regimes[0].disagreement.ratio, 10);
  EXPECT_EQ(regimes[0].disagreement.least_ns, 3);
  EXPECT_EQ(regimes[0].disagreement.most_ns, 30);
  EXPECT_FALSE(regimes[0].disagreement.is_of_reading);
  EXPECT_EQ(regimes[1].measurements, 1u);
  EXPECT_EQ(regimes[1].disagreement.ratio, 1);
}

/// Teams of several sizes measure other copies: of each shape there must be three.
TEST_F(KnownCostsFile, does_not_mix_measurements_that_list_other_copies) {
  const auto with_fewer = [](double ns) {
    MachineCosts fewer = costs_with_write(ns);
    fewer.links[0].copies.pop_back();
    return fewer;
  };
  remember_at(kTime, costs_with_write(3));
  remember_at(kTime + kMinute, costs_with_write(4));
  remember_at(kTime + 2 * kMinute, with_fewer(90));
  EXPECT_EQ(found_at(kTime + 4 * kMinute)->costs, with_fewer(90));
  EXPECT_FALSE(found_at(kTime + 4 * kMinute)->is_settled);
  remember_at(kTime + 3 * kMinute, costs_with_write(5));
  remember_at(kTime + 4 * kMinute, with_fewer(91));
  EXPECT_EQ(found_at(kTime + 5 * kMinute)->costs, costs_with_write(4))
      << "of which there are three";
  EXPECT_TRUE(found_at(kTime + 5 * kMinute)->is_settled);
}

TEST_F(KnownCostsFile, of_another_processor_or_distance_counts_as_empty) {
  KnownCosts("one", path()).remember(costs_with(50));
  EXPECT_FALSE(found(50, "another"));
  EXPECT_FALSE(KnownCosts("one", path()).find({"l3"}, {50}));
}

TEST_F(KnownCostsFile, that_is_damaged_is_passed_over_and_written_anew) {
  KnownCosts("one", path()).remember(costs_with(50));
  std::ifstream file(path());
  const std::string right((std::istreambuf_iterator<char>(file)), {});
  for (const std::string& text :
       {std::string(), std::string("nonsense"), std::string("terrace costs 5\n"),
        std::string("terrace costs 5\none\nnan nan\n-1 2 3\n1e300 2 3\n1 2 3\n\n"),
        right.substr(0, right.size() / 2), std::string(4096, '\0'), std::string(2 << 20, '7')}) {
    write(text);
    EXPECT_FALSE(found(50)) << text.substr(0, 40);
    KnownCosts("one", path()).remember(costs_with(50));
    EXPECT_TRUE(found(50)) << text.substr(0, 40);
  }
}

TEST_F(KnownCostsFile, holds_no_costs_that_no_machine_has) {
  MachineCosts slow_line = costs_with(50), no_time = costs_with(50), late = costs_with(6e3);
  MachineCosts hardly_any = costs_with(50), upside_down = costs_with(50);
  MachineCosts written_in_no_time = costs_with(50);
  written_in_no_time.links[0].copies.back().write = 0;
  slow_line.links[0].copies[1].write = 5.9e6;
  no_time.links[0].copies[0].read = 0;
  hardly_any.links[0].copies[0].read = 0.2;
  upside_down.cache_lines = {9, 3, 9};
  EXPECT_TRUE(are_possible(costs_with(50)));
  for (const MachineCosts& costs :
       {slow_line, no_time, late, hardly_any, upside_down, written_in_no_time}) {
    EXPECT_FALSE(are_possible(costs));
    KnownCosts("one", path()).remember(costs);
    EXPECT_FALSE(found(costs.links[0].signal)) << "as an earlier release may have written it";
  }
}

TEST_F(KnownCostsFile, that_cannot_be_written_is_done_without) {
  for (const std::string path : {"", "/proc/none/costs", "/dev/null/costs"}) {
    KnownCosts known("one", path);
    known.remember(costs_with(50));
    EXPECT_TRUE(known.find({"node"}, {50})) << path;
  }
}

TEST_F(KnownCostsFile, leaves_nothing_beside_itself) {
  KnownCosts("one", path()).remember(costs_with(50));
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_ / "below"))
    ++files;
  EXPECT_EQ(files, 1);
}

}  // namespace
}  // namespace terrace::measure
