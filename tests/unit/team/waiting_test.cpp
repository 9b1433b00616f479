// SPDX-License-Identifier: BSD-3-Clause
// Goal: a waiter gives its core away when ranks outnumber cores and keeps it when they do not,
// drives the MPI below, and speaks up when nothing comes. Method: a world whose clock is moved by
// hand.
#include "team/waiting.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace terrace {
namespace {

constexpr std::uint64_t kMicrosecond = 1000, kSecond = 1'000'000'000;

/// Yields take a microsecond, naps as long as they may.
class CountingWorld final : public World {
 public:
  std::uint64_t now_ns() noexcept override { return now; }
  void yield() noexcept override {
    ++yields;
    now += kMicrosecond;
  }
  void sleep(const Bell&, std::uint64_t, std::uint64_t most_ns) noexcept override {
    if (naps++ == 0) {
      yields_before_nap = yields;
      progress_before_nap = progress_calls;
    }
    longest_nap = std::max(longest_nap, most_ns);
    now += most_ns;
  }
  void progress() noexcept override { ++progress_calls; }
  void stalled(double seconds) noexcept override { complaints.push_back(seconds); }

  std::uint64_t now = 0, longest_nap = 0;
  int yields = 0, naps = 0, progress_calls = 0, yields_before_nap = 0, progress_before_nap = 0;
  std::vector<double> complaints;
};

/// Holds after so many looks.
class After final : public Condition {
 public:
  explicit After(std::uint64_t looks) : looks_(looks) {}
  bool holds() noexcept override { return looks_ == 0 || --looks_ == 0; }
  Bell missing() noexcept override { return {&counter_, &sleepers_}; }

 private:
  std::uint64_t looks_;
  std::atomic<std::uint64_t> counter_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

CountingWorld waited(const WaitPolicy& policy, std::uint64_t looks) {
  CountingWorld world;
  After condition(looks);
  wait_until(condition, policy, world);
  return world;
}

TEST(Waiting, keeps_the_core_while_there_are_enough) {
  EXPECT_EQ(0, waited(WaitPolicy::for_ranks(2, 2), 500).yields);
  EXPECT_EQ(0, waited(WaitPolicy::for_mpi_ranks(2, 2), 500).yields);
}

TEST(Waiting, gives_the_core_away_at_once_when_ranks_outnumber_cores) {
  EXPECT_EQ(2, waited(WaitPolicy::for_ranks(3, 2), 3).yields);
  EXPECT_EQ(2, waited(WaitPolicy::for_mpi_ranks(3, 2), 3).yields);
}

/// Where launchers give each rank a session, the kernel groups tasks by it, and yielding lets no
/// other rank run: only sleep does.
TEST(Waiting, sleeps_early_in_a_crowd_of_mpi_ranks) {
  const CountingWorld crowded = waited(WaitPolicy::for_mpi_ranks(4, 2), 1000);
  EXPECT_GT(crowded.naps, 0);
  EXPECT_GE(crowded.yields_before_nap, 4) << "yielding suffices where it works";
  EXPECT_LE(crowded.yields_before_nap, 32);
  EXPECT_LT(32, waited(WaitPolicy::for_mpi_ranks(2, 2), 10000).yields_before_nap);
}

TEST(Waiting, drives_the_mpi_below_before_and_between_naps) {
  const CountingWorld world = waited(WaitPolicy::for_mpi_ranks(4, 2), 1000);
  EXPECT_GT(world.progress_before_nap, 0);
  EXPECT_GE(world.progress_calls, world.naps);
  EXPECT_LE(world.longest_nap, 100 * kMicrosecond) << "a peer's message may need this process";
}

TEST(Waiting, complains_each_time_the_wait_has_doubled) {
  WaitPolicy policy = WaitPolicy::for_ranks(4, 2);
  policy.longest_nap_ns = kSecond;
  policy.stall_seconds = 30;
  const CountingWorld world = waited(policy, 500);
  ASSERT_EQ(3u, world.complaints.size());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(30 << i, world.complaints[i], 1);
}

}  // namespace
}  // namespace terrace
