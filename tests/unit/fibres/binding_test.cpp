// SPDX-License-Identifier: BSD-3-Clause
// Goal: a worker is bound where its core is its own, and not where others use it, without going
// back and forth; and the kernel's counts are read as they are. Method: times made up, and threads
// that sleep, compute, and wait for a core that both are bound to.
#include "fibres/binding.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/ticks.hpp"

namespace terrace {
namespace {

constexpr std::uint64_t kLook = 10'000'000;

class BindingOfWorker : public testing::Test {
 protected:
  /// Some looks later, in each of which the thread has waited for its core for so many percent of
  /// the time, and in the rest its fibres have begun so many waits.
  bool after(std::uint64_t percent, std::uint64_t looks = 1, std::uint64_t waits = kFewWaits) {
    bool is_bound = false;
    for (std::uint64_t i = 0; i < looks; ++i)
      is_bound = binding_.is_bound_after(
          {.ran_ns = kLook / 100 * (100 - percent), .waited_ns = kLook / 100 * percent}, waits,
          now_ += kLook);
    return is_bound;
  }
  std::uint64_t looks_until_bound() {
    std::uint64_t looks = 1;
    while (!after(1)) ++looks;
    return looks;
  }

  static constexpr std::uint64_t kFewWaits = 10, kManyWaits = kLook / 1'000;
  std::uint64_t now_ = 1'000'000'000;
  Binding binding_;
};

TEST_F(BindingOfWorker, IsGivenUpWhereTheCoreIsShared) {
  EXPECT_TRUE(after(0, 5));
  EXPECT_TRUE(after(50)) << "once may be chance";
  EXPECT_TRUE(after(1));
  EXPECT_TRUE(after(50));
  EXPECT_FALSE(after(50));
}

TEST_F(BindingOfWorker, StaysBesideWhatTakesLittle) {
  EXPECT_TRUE(after(10, 20));
}

TEST_F(BindingOfWorker, ComesBackLaterEachTime) {
  after(50, 2);
  const std::uint64_t first = looks_until_bound();
  EXPECT_EQ(first, Binding::kFirstPatienceNs / kLook);
  after(50, 2);
  EXPECT_EQ(looks_until_bound(), 2 * first);
  for (int i = 0; i < 10; ++i) {
    after(50, 2);
    looks_until_bound();
  }
  after(50, 2);
  EXPECT_EQ(looks_until_bound(), Binding::kMostPatienceNs / kLook);
}

TEST_F(BindingOfWorker, DoesNotComeBackWhileTheCoreIsShared) {
  after(50, 2);
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(after(1, 8));
    EXPECT_FALSE(after(5)) << "a little, which would not have it given up";
  }
}

TEST_F(BindingOfWorker, StaysWhereFibresHardlyCompute) {
  EXPECT_TRUE(after(50, 20, kManyWaits));
  EXPECT_TRUE(after(50));
  EXPECT_FALSE(after(50));
  EXPECT_FALSE(after(50, 1, kManyWaits)) << "once may be chance";
  EXPECT_TRUE(after(50, 1, kManyWaits));
}

TEST_F(BindingOfWorker, StaysWhereTheThreadSleeps) {
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(binding_.is_bound_after({}, 0, now_ += kLook));
}

TEST(KernelThread, TellsWhoSleeps) {
  std::atomic<pid_t> id{0};
  std::atomic<bool> ends{false};
  std::thread sleeper([&] {
    id = gettid();
    while (!ends) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  });
  while (id == 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(sleeps(id));
  EXPECT_FALSE(sleeps(gettid()));
  ends = true;
  sleeper.join();
  EXPECT_FALSE(sleeps(id)) << "it has ended";
  // Who joins is woken a little before the kernel forgets the thread.
  for (int i = 0; i < 1000 && times_of(id); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(times_of(id));
}

TEST(KernelThread, TellsHowLongOneHasWaitedForItsCore) {
  if (!times_of(gettid())) GTEST_SKIP() << "this kernel does not count it";
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  std::atomic<bool> ends{false};
  std::thread other([&] {
    while (!ends) continue;
  });  // bound as its maker is
  const ThreadTimes begin = *times_of(gettid());
  for (const std::uint64_t start = monotonic_ns(); monotonic_ns() - start < 200'000'000;) continue;
  const ThreadTimes end = *times_of(gettid());
  ends = true;
  other.join();
  sched_setaffinity(0, sizeof before, &before);
  EXPECT_GT(end.waited_ns - begin.waited_ns, 20'000'000u);
  EXPECT_GT(end.ran_ns - begin.ran_ns, 10'000'000u);
}

}  // namespace
}  // namespace terrace
