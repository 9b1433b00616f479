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
    return KnownCosts(processor, path()).find({"node"}, {signal});
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

TEST_F(KnownCostsFile, replaces_a_set_of_the_same_regime) {
  KnownCosts known("one", path());
  known.remember(costs_with(50));
  known.remember(costs_with(56));
  EXPECT_EQ(found(50)->links[0].signal, 56);
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
       {std::string(), std::string("nonsense"), std::string("terrace costs 3\n"),
        std::string("terrace costs 3\none\nnan nan\n1 2 3\n\n"), right.substr(0, right.size() / 2),
        std::string(4096, '\0'), std::string(2 << 20, '7')}) {
    write(text);
    EXPECT_FALSE(found(50)) << text.substr(0, 40);
    KnownCosts("one", path()).remember(costs_with(50));
    EXPECT_TRUE(found(50)) << text.substr(0, 40);
  }
}

TEST_F(KnownCostsFile, holds_no_costs_that_no_machine_has) {
  MachineCosts slow_line = costs_with(50), no_time = costs_with(50), late = costs_with(6e3);
  MachineCosts hardly_any = costs_with(50), upside_down = costs_with(50);
  slow_line.links[0].copies[1].write = 5.9e6;
  no_time.links[0].copies[0].read = 0;
  hardly_any.links[0].copies[0].read = 0.2;
  upside_down.cache_lines = {9, 3, 9};
  EXPECT_TRUE(are_possible(costs_with(50)));
  for (const MachineCosts& costs : {slow_line, no_time, late, hardly_any, upside_down}) {
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
