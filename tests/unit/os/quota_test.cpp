// SPDX-License-Identifier: BSD-3-Clause
// Quotas from files laid out as the kernel does, for both versions of cgroups.
#include "os/quota.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace terrace {
namespace {

namespace fs = std::filesystem;

/// A directory of our own that looks like /sys/fs/cgroup, with a file like /proc/self/cgroup.
class Quotas : public testing::Test {
 protected:
  void SetUp() override {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    root_ = fs::temp_directory_path() / ("terrace_" + test + '_' + std::to_string(getpid()));
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  Quota quota() const { return cpu_quota({root_ / "membership", root_}); }

  fs::path root_;
};

TEST_F(Quotas, none_where_there_are_no_files) {
  EXPECT_FALSE(quota().is_limited());
  EXPECT_FALSE(cpu_quota({"/no/such/file", "/no/such/mount"}).is_limited());
}

TEST_F(Quotas, v2_max_is_none) {
  write("membership", "0::/job\n");
  write("job/cpu.max", "max 100000\n");
  EXPECT_FALSE(quota().is_limited());
}

TEST_F(Quotas, v2_limits_in_fractions_of_pus) {
  write("membership", "0::/job/step\n");
  write("job/step/cpu.max", "150000 100000\n");
  EXPECT_DOUBLE_EQ(quota().pus, 1.5);
  EXPECT_EQ(quota().file, (root_ / "job/step/cpu.max").string());
}

TEST_F(Quotas, the_tightest_group_around_us_counts) {
  write("membership", "0::/job/step/task\n");
  write("job/step/task/cpu.max", "800000 100000\n");
  write("job/step/cpu.max", "max 100000\n");
  write("job/cpu.max", "300000 100000\n");
  EXPECT_DOUBLE_EQ(quota().pus, 3);
}

TEST_F(Quotas, a_path_of_the_host_leads_to_the_containers_own_group) {
  write("membership", "0::/host/only\n");
  write("cpu.max", "200000 100000\n");
  EXPECT_DOUBLE_EQ(quota().pus, 2);
}

TEST_F(Quotas, v1_limits_under_either_name_of_the_mount) {
  write("membership", "9:name=systemd:/\n4:cpu,cpuacct:/job\n3:cpuset:/job\n");
  write("cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n");
  write("cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(quota().pus, 2.5);
  write("cpu/job/cpu.cfs_quota_us", "50000\n");
  write("cpu/job/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(quota().pus, 0.5);
}

TEST_F(Quotas, v1_groups_of_other_controllers_do_not_count) {
  write("membership", "4:cpuset:/other\n3:cpu:/job\n");
  write("cpu/other/cpu.cfs_quota_us", "100000\n");
  write("cpu/other/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(quota().is_limited());
}

TEST_F(Quotas, the_outermost_group_has_a_plain_name) {
  write("membership", "0::/\n");
  write("cpu.max", "100000 100000\n");
  EXPECT_EQ(quota().file, (root_ / "cpu.max").string());
}

TEST_F(Quotas, v1_of_minus_one_is_none) {
  write("membership", "1:cpu:/\n");
  write("cpu/cpu.cfs_quota_us", "-1\n");
  write("cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(quota().is_limited());
}

TEST_F(Quotas, groups_that_share_cpu_time_are_told_from_others) {
  write("membership", "9:name=systemd:/own\n3:cpuset:/own\n1:cpu,cpuacct:/job\n0::/unit\n");
  EXPECT_EQ(cpu_groups({root_ / "membership", root_}), "cpu,cpuacct:/job\n:/unit\n");
  EXPECT_EQ(cpu_groups({"/no/such/file", root_}), "");
}

TEST_F(Quotas, v2_beside_v1_is_found) {
  write("membership", "1:cpuset:/\n0::/job\n");
  write("unified/job/cpu.max", "400000 100000\n");
  EXPECT_DOUBLE_EQ(quota().pus, 4);
}

TEST_F(Quotas, nonsense_sets_no_limit) {
  write("membership", "nonsense\n:\n0::\n1:cpu:/job\n");
  write("cpu.max", "x y\n");
  write("cpu/job/cpu.cfs_quota_us", "100000\n");
  write("cpu/job/cpu.cfs_period_us", "-5\n");
  EXPECT_FALSE(quota().is_limited());
}

TEST_F(Quotas, whole_pus_are_usable_and_at_least_one) {
  EXPECT_EQ(usable_pus(8, Quota{}), 8u);
  EXPECT_EQ(usable_pus(8, Quota{2.9, "file"}), 2u);
  EXPECT_EQ(usable_pus(2, Quota{64, "file"}), 2u);
  EXPECT_EQ(usable_pus(8, Quota{0.5, "file"}), 1u);
  EXPECT_EQ(usable_pus(0, Quota{}), 1u);
}

TEST_F(Quotas, the_real_files_can_be_read) {
  EXPECT_GT(cpu_quota().pus, 0);
}

}  // namespace
}  // namespace terrace
