// SPDX-License-Identifier: BSD-3-Clause
// Goal: a waiter gives its core away when ranks outnumber cores and keeps it when they do not,
// drives the underlying MPI, and speaks up when nothing comes. Method: an environment whose clock
// is moved by hand.
#include "team/waiting.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "unit/each_pause.hpp"

namespace terrace {
namespace {

constexpr std::uint64_t kMicrosecond = 1000, kSecond = 1'000'000'000;

/// Yields take a microsecond, naps as long as they may, if others do not want the core.
class CountingEnvironment final : public WaitEnvironment {
 public:
  std::uint64_t now_ns() noexcept override {
    ++looks_at_clock;
    return now;
  }
  void yield() noexcept override {
    ++yields;
    now += kMicrosecond + others_turn;
  }
  void sleep(const WaitTarget&, std::uint64_t, std::uint64_t most_ns) noexcept override {
    if (naps++ == 0) {
      yields_before_nap = yields;
      progress_before_nap = progress_calls;
      first_nap = most_ns;
    }
    longest_nap = std::max(longest_nap, most_ns);
    now += most_ns + others_turn;
  }
  OtherProcesses& other_processes() noexcept override { return noticed; }
  bool were_peers_at_work(std::uint64_t) noexcept override { return peers_work; }
  void progress() noexcept override {
    ++progress_calls;
    now += progress_ns;
  }
  bool may_have_to_progress() noexcept override { return has_work; }
  void stalled(double seconds) noexcept override { complaints.push_back(seconds); }
  bool pass(bool) noexcept override {
    now += kMicrosecond;
    return passes++ % passes_in_turn != passes_in_turn - 1;
  }

  std::uint64_t now = 0, first_nap = 0, longest_nap = 0;
  std::uint64_t others_turn = 0;  ///< how long others keep the core each time they get it
  std::uint64_t progress_ns = 0;
  bool peers_work = false;  ///< it is they who keep the core
  bool has_work = false;    ///< that a short nap must not delay
  OtherProcesses noticed;
  int passes = 0, passes_in_turn = 1;  ///< the last one of a turn finds nothing to run
  int looks_at_clock = 0;
  int yields = 0, naps = 0, progress_calls = 0, yields_before_nap = 0, progress_before_nap = 0;
  std::vector<double> complaints;
};

/// Holds after so many looks.
class After final : public Condition {
 public:
  explicit After(std::uint64_t looks) : looks_(looks) {}
  bool holds() noexcept override { return looks_ == 0 || --looks_ == 0; }
  WaitTarget missing() noexcept override { return {&counter_, &sleepers_}; }

 private:
  std::uint64_t looks_;
  std::atomic<std::uint64_t> counter_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

/// The same, by a signal whose sender wakes the waiter; counts the naps that it is told of.
class WokenAfter final : public Condition {
 public:
  explicit WokenAfter(std::uint64_t looks) : after_(looks) {}
  bool holds() noexcept override { return after_.holds(); }
  WaitTarget missing() noexcept override { return after_.missing(); }
  bool is_woken() noexcept override { return true; }
  void waits_long(std::uint32_t naps) noexcept override { told += naps; }

  std::uint64_t told = 0;

 private:
  After after_;
};

/// Another wait in the same environment.
void wait_in(CountingEnvironment& wait_environment, const WaitPolicy& policy, std::uint64_t looks) {
  wait_environment.yields = wait_environment.naps = 0;
  After condition(looks);
  wait_until(condition, policy, wait_environment);
}

CountingEnvironment waited(const WaitPolicy& policy, std::uint64_t looks) {
  CountingEnvironment wait_environment;
  wait_in(wait_environment, policy, looks);
  return wait_environment;
}

/// More looks than a waiter spins.
constexpr std::uint64_t kManyLooks = 1100;

std::vector<WaitPolicy> all_policies() {
  return {WaitPolicy::for_ranks(2, 2), WaitPolicy::for_ranks(4, 2),
          WaitPolicy::for_mpi_ranks(2, 2, false), WaitPolicy::for_mpi_ranks(4, 2, false)};
}

CountingEnvironment beside_other_processes() {
  CountingEnvironment wait_environment;
  wait_environment.others_turn = 3000 * kMicrosecond;
  return wait_environment;
}

TEST(Waiting, keeps_the_core_while_there_are_enough) {
  EXPECT_EQ(0, waited(WaitPolicy::for_ranks(2, 2), 500).yields);
  EXPECT_EQ(0, waited(WaitPolicy::for_mpi_ranks(2, 2, false), 500).yields);
}

TEST(Waiting, gives_the_core_away_at_once_when_ranks_outnumber_cores) {
  EXPECT_EQ(2, waited(WaitPolicy::for_ranks(3, 2), 3).yields);
  EXPECT_EQ(2, waited(WaitPolicy::for_mpi_ranks(3, 2, false), 3).yields);
}

/// Where launchers give each rank a session, the kernel groups tasks by it, and yielding lets no
/// other rank run: only sleep does.
TEST(Waiting, sleeps_early_in_a_crowd_of_mpi_ranks) {
  const CountingEnvironment oversubscribed = waited(WaitPolicy::for_mpi_ranks(4, 2, false), 1000);
  EXPECT_GT(oversubscribed.naps, 0);
  EXPECT_GE(oversubscribed.yields_before_nap, 4) << "yielding suffices where it works";
  EXPECT_LE(oversubscribed.yields_before_nap, 32);
  EXPECT_LT(32, waited(WaitPolicy::for_mpi_ranks(2, 2, false), 10000).yields_before_nap);
}

/// Where yields let peers run, ranks that sleep soon stay asleep.
TEST(Waiting, yields_for_long_among_peers) {
  const CountingEnvironment together = waited(WaitPolicy::for_mpi_ranks(4, 2, true), 1000);
  EXPECT_GE(together.yields_before_nap, 200);
  EXPECT_GT(together.naps, 0) << "who waits for long sleeps in the end";
  EXPECT_GT(together.progress_before_nap, 0);
}

TEST(Waiting, drives_the_mpi_below_before_and_between_naps) {
  const CountingEnvironment wait_environment = waited(WaitPolicy::for_mpi_ranks(4, 2, false), 1000);
  EXPECT_GT(wait_environment.progress_before_nap, 0);
  EXPECT_GE(wait_environment.progress_calls, wait_environment.naps);
  EXPECT_LE(wait_environment.longest_nap, 100 * kMicrosecond)
      << "a peer's message may need this process";
}

// Goal: of hundreds of sleepers none wakes up for nothing more often than it must, but a message
// that needs this thread is not kept waiting. Method: the length of naps.
TEST(Waiting, sleeps_for_long_where_it_is_woken_and_has_no_other_work) {
  WaitPolicy policy = WaitPolicy::for_mpi_ranks(256, 2, true);
  EXPECT_EQ(policy.longest_woken_nap_ns, policy.longest_nap_ns) << "an MPI below needs its process";
  policy.longest_woken_nap_ns = 6400 * kMicrosecond;
  for (const bool has_work : {false, true}) {
    CountingEnvironment wait_environment;
    wait_environment.has_work = has_work;
    WokenAfter condition(1000);
    wait_until(condition, policy, wait_environment);
    EXPECT_GT(wait_environment.naps, 0);
    EXPECT_EQ(wait_environment.first_nap, 100 * kMicrosecond) << "it may miss its wake-up";
    EXPECT_EQ(wait_environment.longest_nap, (has_work ? 100 : 6400) * kMicrosecond);
    const auto naps = static_cast<std::uint64_t>(wait_environment.naps);
    constexpr std::uint64_t kShorter = 6;  // from 100 us to half of 6400
    EXPECT_GT(naps, kShorter);
    EXPECT_GE(condition.told, has_work ? naps : 64 * (naps - kShorter))
        << "as often in the same time";
  }
  EXPECT_EQ(waited(policy, 1000).longest_nap, 100 * kMicrosecond) << "nobody may wake it";
}

TEST(Waiting, complains_each_time_the_wait_has_doubled) {
  WaitPolicy policy = WaitPolicy::for_ranks(4, 2);
  policy.longest_nap_ns = kSecond;
  policy.stall_seconds = 30;
  const CountingEnvironment wait_environment = waited(policy, 500);
  ASSERT_EQ(3u, wait_environment.complaints.size());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(30 << i, wait_environment.complaints[i], 1);
}

/// They may wait for what only this one's progress brings.
TEST(Waiting, drives_the_mpi_below_while_ranks_of_its_kernel_thread_can_go_on) {
  CountingEnvironment wait_environment;
  wait_environment.passes_in_turn = 1'000'000'000;
  WaitPolicy policy = WaitPolicy::for_ranks(4, 2);
  policy.stall_seconds = 1;
  wait_in(wait_environment, policy, 1000);
  EXPECT_GE(wait_environment.progress_calls, 10);
  EXPECT_EQ(0, wait_environment.yields + wait_environment.naps);
  wait_environment.passes_in_turn = wait_environment.passes + 10;  // then it has been alone once
  wait_in(wait_environment, policy, 5'000'000);
  EXPECT_GE(wait_environment.yields, 1);
  EXPECT_GE(wait_environment.complaints.size(), 2u);
}

TEST(Waiting, says_that_it_lasts_while_ranks_of_its_kernel_thread_can_go_on) {
  CountingEnvironment wait_environment;
  wait_environment.passes_in_turn = 1'000'000'000;  // one of them polls
  WaitPolicy policy = WaitPolicy::for_ranks(4, 2);
  policy.stall_seconds = 1;
  wait_in(wait_environment, policy, 5'000'000);
  EXPECT_EQ(0, wait_environment.yields + wait_environment.naps);
  EXPECT_EQ(3u, wait_environment.complaints.size());  // after 1, 2 and 4 of 5 seconds
}

TEST(Waiting, gives_other_processes_one_turn_and_then_sleeps) {
  for (const WaitPolicy& policy : all_policies()) {
    CountingEnvironment wait_environment = beside_other_processes();
    wait_in(wait_environment, policy, kManyLooks);
    EXPECT_EQ(1, wait_environment.yields);
    EXPECT_GT(wait_environment.naps, 1);
  }
}

TEST(Waiting, yields_on_to_peers_that_compute) {
  CountingEnvironment wait_environment = beside_other_processes();
  wait_environment.peers_work = true;
  wait_in(wait_environment, WaitPolicy::for_mpi_ranks(4, 2, true), 100);
  EXPECT_GT(wait_environment.yields, 90);
  EXPECT_EQ(wait_environment.naps, 0);
}

/// Who looks in a loop of its own.
TEST(Waiting, gives_way_once_to_peers_by_a_yield_and_to_other_processes_by_a_nap) {
  const WaitPolicy policy = WaitPolicy::for_mpi_ranks(4, 2, false);
  CountingEnvironment alone, beside = beside_other_processes();
  for (CountingEnvironment* wait_environment : {&alone, &beside})
    for (int i = 0; i < 3; ++i) {
      After condition(kManyLooks);
      yield_cpu(condition, policy, *wait_environment);
    }
  EXPECT_EQ(3, alone.yields);
  EXPECT_EQ(0, alone.naps);
  EXPECT_EQ(1, beside.yields) << "who notices them";
  EXPECT_EQ(2, beside.naps);
  EXPECT_EQ(policy.longest_nap_ns, beside.longest_nap);
}

TEST(Waiting, gives_way_without_a_nap_if_it_is_over_by_then) {
  CountingEnvironment wait_environment = beside_other_processes();
  After condition(1);
  for (int i = 0; i < 2; ++i)
    yield_cpu(condition, WaitPolicy::for_mpi_ranks(4, 2, false), wait_environment);
  EXPECT_EQ(0, wait_environment.naps);
}

TEST(Waiting, remembers_other_processes_in_the_next_wait) {
  for (const WaitPolicy& policy : all_policies()) {
    CountingEnvironment wait_environment = beside_other_processes();
    wait_in(wait_environment, policy, policy.spins + 3);  // which the yield itself may end
    EXPECT_EQ(1, wait_environment.yields);
    wait_in(wait_environment, policy, kManyLooks);
    EXPECT_EQ(0, wait_environment.yields);
    EXPECT_GT(wait_environment.naps, 1);
  }
}

int yields_in(CountingEnvironment& wait_environment, const WaitPolicy& policy, std::uint64_t ns) {
  int yields = 0;
  for (const std::uint64_t start = wait_environment.now; wait_environment.now - start < ns;) {
    wait_in(wait_environment, policy, policy.spins + 3);
    yields += wait_environment.yields;
  }
  return yields;
}

/// A yield that shows whether they are there still is lost: at last one of 33 turns.
TEST(Waiting, yields_to_other_processes_ever_more_seldom) {
  for (const WaitPolicy& policy : all_policies()) {
    CountingEnvironment wait_environment = beside_other_processes();
    const int at_first = yields_in(wait_environment, policy, kSecond);
    EXPECT_GT(at_first, 11);
    EXPECT_LT(at_first, 20);
    EXPECT_NEAR(100, yields_in(wait_environment, policy, 10 * kSecond), 10);
  }
}

TEST(Waiting, notices_other_processes_in_a_long_wait_always) {
  for (const WaitPolicy& policy : all_policies()) {
    CountingEnvironment wait_environment;
    wait_in(wait_environment, policy, policy.spins + 3);
    wait_environment.others_turn = 3000 * kMicrosecond;
    wait_in(wait_environment, policy, kManyLooks);
    EXPECT_LE(wait_environment.yields, 9);
    EXPECT_GT(wait_environment.naps, 1);
  }
}

void expect_yields_once_they_are_gone(CountingEnvironment& wait_environment,
                                      const WaitPolicy& policy) {
  wait_environment.others_turn = 0;
  wait_in(wait_environment, policy, policy.spins + 9);
  EXPECT_GE(wait_environment.yields, 7);
  EXPECT_EQ(0, wait_environment.naps);
}

TEST(Waiting, forgets_soon_whom_it_met_once) {
  for (const WaitPolicy& policy : all_policies()) {
    CountingEnvironment wait_environment = beside_other_processes();
    wait_in(wait_environment, policy, policy.spins + 3);
    wait_environment.now += 5 * wait_environment.others_turn;
    expect_yields_once_they_are_gone(wait_environment, policy);
  }
}

TEST(Waiting, watches_the_clock_seldom_where_none_were_seen) {
  CountingEnvironment wait_environment;
  const WaitPolicy policy = WaitPolicy::for_mpi_ranks(4, 2, false);
  for (int i = 0; i < 80; ++i) wait_in(wait_environment, policy, 3);
  EXPECT_LE(wait_environment.looks_at_clock, 80 + 10 * 4);
  wait_environment.others_turn = 3000 * kMicrosecond;
  int yields = 0;
  for (int i = 0; i < 10; ++i) {
    wait_in(wait_environment, policy, 3);
    yields += wait_environment.yields;
  }
  EXPECT_LE(yields, 2 * 8) << "and yet finds them in time";
}

TEST(Waiting, yields_again_when_other_processes_have_gone) {
  for (const WaitPolicy& policy : all_policies()) {
    CountingEnvironment wait_environment = beside_other_processes();
    wait_in(wait_environment, policy, kManyLooks);
    wait_environment.now += kSecond;
    expect_yields_once_they_are_gone(wait_environment, policy);
  }
}

TEST(Waiting, takes_no_job_that_was_stopped_for_hours_for_other_processes_of_that_kind) {
  for (const WaitPolicy& policy : all_policies()) {
    CountingEnvironment wait_environment;
    wait_environment.others_turn = 3600 * kSecond;
    wait_in(wait_environment, policy, policy.spins + 3);
    wait_environment.now += kSecond;
    expect_yields_once_they_are_gone(wait_environment, policy);
  }
}

TEST(Waiting, takes_neither_peers_that_take_turns_nor_the_mpi_below_for_other_processes) {
  for (const WaitPolicy& policy : all_policies()) {
    CountingEnvironment wait_environment;
    wait_environment.others_turn = 100 * kMicrosecond;
    wait_environment.progress_ns = 3000 * kMicrosecond;
    wait_in(wait_environment, policy, policy.spins + 15);
    wait_in(wait_environment, policy, policy.spins + 16);
    EXPECT_GE(wait_environment.yields, 14);
    EXPECT_EQ(0, wait_environment.naps);
  }
}

/// Holds when another thread has published a number.
class Published final : public Condition {
 public:
  bool holds() noexcept override { return last_published(counter) >= awaited; }
  WaitTarget missing() noexcept override { return {&counter, &sleepers}; }

  std::atomic<std::uint64_t> counter{0};
  std::atomic<std::uint32_t> sleepers{0};
  std::uint64_t awaited = 0;
};

TEST(Waiting, ends_with_each_kind_of_pause_when_the_signal_comes) {
  constexpr std::uint64_t kTurns = 200;
  with_each_pause([&] {
    Published ping, pong;
    const auto await = [](Published& condition, std::uint64_t turn) {
      WaitEnvironment wait_environment;
      condition.awaited = turn;
      wait_until(condition, WaitPolicy{}, wait_environment);
    };
    std::thread other([&] {
      for (std::uint64_t turn = 1; turn <= kTurns; ++turn) {
        await(ping, turn);
        publish(pong.counter, pong.sleepers, turn);
      }
    });
    for (std::uint64_t turn = 1; turn <= kTurns; ++turn) {
      publish(ping.counter, ping.sleepers, turn);
      await(pong, turn);
    }
    other.join();
    EXPECT_EQ(kTurns, last_published(pong.counter));
  });
}

}  // namespace
}  // namespace terrace
