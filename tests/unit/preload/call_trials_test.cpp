// SPDX-License-Identifier: BSD-3-Clause
// Goal: ranks decide alike between Terrace and the MPI, whatever becomes of a call. Method: ranks
// that take turns in one thread, each with the same times.
#include "preload/mpi/call_trials.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace terrace::preload {
namespace {

constexpr std::size_t kRanksOfTrials = 2;

CallTrials trials_of_rank(int& exchanges) {
  return CallTrials(Contender::How::uneven, {}, kRanksOfTrials,
                    [&exchanges](const std::vector<Stay>& mine, std::vector<Stay>& all) {
                      all.assign(mine.size() * kRanksOfTrials, Stay{1, 1000});
                      ++exchanges;
                      return true;
                    });
}

TEST(CallTrials, count_a_call_that_an_error_handler_has_left) {
  std::array<int, kRanksOfTrials> exchanges{};
  CallTrials first = trials_of_rank(exchanges[0]), second = trials_of_rank(exchanges[1]);
  for (int call = 0; call < 3000; ++call) {
    const auto of_first = first.falls_back(Collective::gatherv, 16);
    const auto of_second = second.falls_back(Collective::gatherv, 16);
    ASSERT_EQ(of_first, of_second) << call;
    ASSERT_EQ(exchanges[0], exchanges[1]) << call;
    first.end_call();
    if (call % 3 != 0) second.end_call();
  }
  EXPECT_GT(exchanges[0], 2);
}

TEST(CallTrials, tell_when_an_exchange_is_refused) {
  CallTrials trials(Contender::How::uneven, {}, kRanksOfTrials,
                    [](const std::vector<Stay>&, std::vector<Stay>&) { return false; });
  bool is_refused = false;
  for (int call = 0; call < 100 && !is_refused; ++call) {
    is_refused = !trials.falls_back(Collective::gatherv, 16).has_value();
    trials.end_call();
  }
  EXPECT_TRUE(is_refused);
}

}  // namespace
}  // namespace terrace::preload
