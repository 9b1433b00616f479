// SPDX-License-Identifier: BSD-3-Clause
// Goal: a fibre moves where one worker computes and another waits, if that evens them out, and
// never else. Method: looks made up.
#include "fibres/balance.hpp"

#include <gtest/gtest.h>

#include "fibres/worker.hpp"

namespace terrace {
namespace {

using Sample = Balance::Sample;

class BalanceOfWorkers : public testing::Test {
 protected:
  /// Looks of one window: worker 0's fibres compute in turn for as many looks as `computed` says,
  /// and then it does something else; worker 1 does the same thing all the time.
  std::optional<Balance::Move> after_looks(std::vector<std::uint32_t> computed, Sample other) {
    std::optional<Balance::Move> move;
    const std::uint32_t looks = balance_.window();
    for (std::uint32_t look = 0; look < looks; ++look) {
      EXPECT_FALSE(move) << "before the end of the window";
      std::size_t fibre = 0;
      while (fibre < computed.size() && computed[fibre] == 0) ++fibre;
      if (fibre < computed.size()) {
        --computed[fibre];
        balance_.add(0, Sample::computes, &fibres_[fibre]);
      } else {
        balance_.add(0, Sample::other, nullptr);
      }
      balance_.add(1, other, &fibres_[7]);
      move = balance_.next_move();
    }
    return move;
  }
  std::ptrdiff_t moved_of(const std::vector<std::uint32_t>& computed) {
    EXPECT_FALSE(after_looks(computed, Sample::waits)) << "one window may be chance";
    const auto move = after_looks(computed, Sample::waits);
    if (!move) return -1;
    EXPECT_EQ(move->from, 0u);
    EXPECT_EQ(move->to, 1u);
    return move->fibre - fibres_;
  }

  /// Windows have their full length after some.
  void pass_first_windows() {
    while (balance_.window() < Balance::kLongestWindow)
      EXPECT_FALSE(after_looks({}, Sample::other));
  }

  Fibre fibres_[8];
  Balance balance_{2};
};

TEST_F(BalanceOfWorkers, MovesTheFibreWithHalfTheDifference) {
  pass_first_windows();
  EXPECT_EQ(moved_of({10, 10, 10, 10}), 0);
  EXPECT_EQ(moved_of({5, 22, 12}), 1);
  EXPECT_EQ(moved_of({3, 4, 11, 5, 4, 11}), 2) << "the first that is best";
}

TEST_F(BalanceOfWorkers, MovesNoneThatComputesAlone) {
  pass_first_windows();
  EXPECT_EQ(moved_of({45}), -1);
  EXPECT_EQ(moved_of({44, 1}), -1);
}

TEST_F(BalanceOfWorkers, MovesNoneWhereTheOtherWorkerIsAtWork) {
  pass_first_windows();
  for (const Sample other : {Sample::computes, Sample::other})
    for (int window = 0; window < 4; ++window) EXPECT_FALSE(after_looks({10, 10, 10, 10}, other));
}

TEST_F(BalanceOfWorkers, MovesNoneForLittle) {
  pass_first_windows();
  EXPECT_EQ(moved_of({4, 4}), -1);
}

TEST_F(BalanceOfWorkers, MovesNoneForWhatHappensOnceInAWhile) {
  pass_first_windows();
  for (int window = 0; window < 4; ++window) {
    EXPECT_FALSE(after_looks({10, 10, 10, 10}, Sample::waits));
    EXPECT_FALSE(after_looks({}, Sample::waits));
  }
}

TEST_F(BalanceOfWorkers, MovesSoonerWhereLittleTimeHasPassed) {
  const std::uint32_t first = balance_.window();
  EXPECT_EQ(first, Balance::kFirstWindow);
  EXPECT_EQ(moved_of({5, 5, 5, 5}), 0);
  const std::uint32_t third = balance_.window();
  EXPECT_GT(third, first);
  EXPECT_EQ(moved_of({1, 1}), -1) << "little of a short window";
  EXPECT_GT(balance_.window(), third);
}

TEST(BalanceSamples, TellWhoComputesFromWhoWaits) {
  Balance::Seen seen;
  EXPECT_EQ(Balance::sample_of(seen), Sample::waits) << "no fibres";
  seen = {.has_current = true, .switches = 2, .fibres = 3, .passes_in_vain = 0};
  EXPECT_EQ(Balance::sample_of(seen), Sample::computes);
  seen.passes_in_vain = 10'000;
  EXPECT_EQ(Balance::sample_of(seen), Sample::computes) << "after a long wait";
  seen.is_switching = true;
  EXPECT_EQ(Balance::sample_of(seen), Sample::waits) << "in a yield on behalf of all";
  seen = {.has_current = true, .switches = 10'000, .fibres = 3, .passes_in_vain = 10'000};
  EXPECT_EQ(Balance::sample_of(seen), Sample::waits) << "all look in vain, seen between two looks";
  seen.passes_in_vain = 3;
  EXPECT_EQ(Balance::sample_of(seen), Sample::other) << "calls that go on";
}

}  // namespace
}  // namespace terrace
