// SPDX-License-Identifier: BSD-3-Clause
// Goal: a broken contract ends the process, after one sentence from which the fault can be found.
#include "base/contract.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <limits>

namespace terrace {
namespace {

enum class Colour : unsigned char { red = 1, green = 2 };

void take_two_at_most(int taken, Colour colour = Colour::green) {
  TERRACE_REQUIRE(taken <= 2, taken, colour, -(taken + 1), (taken > 2 ? 7u : 8u));
}

TEST(CallContract, that_holds_says_nothing) {
  take_two_at_most(2);
  TERRACE_ASSERT(1 + 1 == 2);
}

TEST(CallContract, that_is_broken_names_condition_values_and_function) {
  EXPECT_DEATH(take_two_at_most(3),
               "^terrace: broken contract: taken <= 2 \\(taken = 3, colour = 2, "
               "-\\(taken \\+ 1\\) = -4, \\(taken > 2 \\? 7u : 8u\\) = 7\\) in .*take_two_at_most.*"
               "; this is a fault in Terrace; please report it\n");
}

TEST(CallContract, that_is_broken_aborts) {
  EXPECT_EXIT(take_two_at_most(3), testing::KilledBySignal(SIGABRT), "");
}

TEST(CallContract, needs_no_values) {
  EXPECT_DEATH(TERRACE_REQUIRE(getpid() == 0), "broken contract: getpid\\(\\) == 0 in ");
}

// Goal: the largest numbers are printed as what they are.
TEST(CallContract, prints_all_of_a_number) {
  const auto most = ~std::uint64_t{0};
  const auto least = std::numeric_limits<std::int64_t>::min();
  EXPECT_DEATH(TERRACE_REQUIRE(most == 0, most, least),
               "most = 18446744073709551615, least = -9223372036854775808");
}

[[noreturn]] void leave_with_3() noexcept {
  _exit(3);
}
void break_another() noexcept {
  take_two_at_most(4);
}

// Goal: the job's end, if set, ends the job.
TEST(CallContract, lets_the_job_end_as_it_was_told) {
  const auto break_one = [](contract::JobEnd end) {
    contract::set_job_end(end);
    take_two_at_most(3);
  };
  EXPECT_EXIT(break_one(leave_with_3), testing::ExitedWithCode(3), "taken = 3");
  EXPECT_EXIT(break_one(break_another), testing::KilledBySignal(SIGABRT),
              "taken = 3.*\n.*taken = 4");
}

#if defined(TERRACE_ASSERTIONS) || !defined(NDEBUG)
TEST(CallContract, is_looked_at_in_debug_builds) {
  EXPECT_DEATH(TERRACE_ASSERT(getpid() == 0), "broken contract: getpid");
}
#else
TEST(CallContract, costs_nothing_in_release_builds) {
  int looks = 0;
  TERRACE_ASSERT(++looks == 0);
  EXPECT_EQ(0, looks);
}
#endif

}  // namespace
}  // namespace terrace
