// SPDX-License-Identifier: BSD-3-Clause
// Our clock goes on while the program's stands still, or goes back, as under libfaketime: this
// program has a clock_gettime of its own.
#include "base/ticks.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "base/wait_at_most.hpp"

namespace {

enum class Fault : unsigned char { none, stands_still, goes_back };
Fault fault = Fault::none;

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const long result = syscall(SYS_clock_gettime, clock, time);
  if (fault == Fault::stands_still) *time = {1'577'836'800, 0};
  if (fault == Fault::goes_back) time->tv_sec = 1'577'836'800 - time->tv_sec;
  return static_cast<int>(result);
}

namespace terrace {
namespace {

class Ticks : public testing::TestWithParam<Fault> {
 protected:
  Ticks() { fault = GetParam(); }
  ~Ticks() override { fault = Fault::none; }
};

TEST_P(Ticks, time_goes_on) {
  const std::uint64_t begin = monotonic_ns();
  const auto begun = KernelClock::now();
  usleep(2000);
  EXPECT_GE(monotonic_ns() - begin, 2'000'000u);
  EXPECT_LT(monotonic_ns() - begin, 3600'000'000'000u);
  EXPECT_GE(KernelClock::now() - begun, std::chrono::milliseconds(2));
}

TEST_P(Ticks, a_tick_has_a_length) {
  EXPECT_GT(ns_per_tick(), 0.01);
  EXPECT_LT(ns_per_tick(), 1000);
}

TEST_P(Ticks, waits_end) {
  std::mutex mutex;
  std::condition_variable changes;
  std::unique_lock lock(mutex);
  const std::uint64_t begin = monotonic_ns();
  EXPECT_FALSE(wait_at_most(2'000'000, changes, lock, [] { return false; }));
  EXPECT_GE(monotonic_ns() - begin, 2'000'000u);
  EXPECT_TRUE(wait_at_most(3600'000'000'000, changes, lock, [] { return true; }));
}

#if defined(__x86_64__)
/// Returns how long loads of lines that no cache has take, one after the other.
double time_of_loads_from_memory() {
  constexpr std::size_t kLines = 16, kApart = 4096 / sizeof(std::size_t);
  static std::size_t next[kLines * kApart];
  for (std::size_t i = 0; i < kLines; ++i) next[i * kApart] = (i + 1) % kLines * kApart;
  for (std::size_t i = 0; i < kLines; ++i) __builtin_ia32_clflush(&next[i * kApart]);
  __builtin_ia32_mfence();
  const std::uint64_t begin = ticks();
  std::size_t at = 0;
  for (std::size_t i = 0; i < kLines; ++i) at = *static_cast<volatile std::size_t*>(&next[at]);
  return ns_since(begin) / kLines;
}

TEST(TicksAfterLoads, contain_the_loads) {
  for (int i = 0; i < 20; ++i) EXPECT_GT(time_of_loads_from_memory(), 10);
}
#endif

INSTANTIATE_TEST_SUITE_P(Clocks, Ticks,
                         testing::Values(Fault::none, Fault::stands_still, Fault::goes_back),
                         [](const auto& one) {
                           return one.param == Fault::none           ? "as_it_is"
                                  : one.param == Fault::stands_still ? "standing_still"
                                                                     : "going_back";
                         });

}  // namespace
}  // namespace terrace
