// SPDX-License-Identifier: BSD-3-Clause
// Goal: teams of more ranks than derive waits together (plan/lower.hpp) make every call rightly, as
// large as TERRACE_MOST_RANKS. Method: as calls_test.cpp, with far more threads than cores.
#include <gtest/gtest.h>

#include "unit/api/threads.hpp"

using namespace terrace::testing_api;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsWatched = true;  // many times slower
#else
constexpr bool kIsWatched = false;
#endif

std::string all_calls(const Team& team, int rank, const std::vector<std::size_t>& counts) {
  using T = std::int64_t;
  const int root = team.ranks / 3;
  std::uint64_t seed = 0;
  std::string wrong;
  for (const std::size_t count : counts) {
    if (terrace_barrier(team.team, rank) != TERRACE_OK) return failure("barrier", rank);
    if (wrong.empty()) wrong = bcast<T>(team, rank, count, root, ++seed);
    if (wrong.empty()) wrong = reduce<T>(team, rank, TERRACE_SUM, count, root, false, ++seed);
    if (wrong.empty()) wrong = allreduce<T>(team, rank, TERRACE_SUM, count, true, ++seed);
    for (const Kind kind : kKinds)
      if (wrong.empty()) wrong = block_call<T>(team, rank, kind, count, root, count == 1, ++seed);
  }
  return wrong;
}

TEST(ManyRanks, make_every_call_rightly) {
#ifdef TERRACE_IS_EMULATED
  GTEST_SKIP() << "hundreds of threads take an emulator minutes";
#endif
  for (const auto& [ranks, count] : {std::pair{129, 300u}, {192, 20u}, {384, 1u}}) {
    if (kIsWatched && ranks > 129) continue;
    const Team team(ranks);
    ASSERT_EQ(team.status, TERRACE_OK) << terrace_last_error();
    EXPECT_EQ("", team.each([&, count = count](int rank) {
      return all_calls(team, rank, {1, count});
    })) << ranks
        << " ranks";
  }
}

/// Of all calls only these: on two cores, others take so many threads some ten seconds each, which
/// they spend on taking turns.
TEST(ManyRanks, may_be_as_many_as_the_header_says) {
#ifdef TERRACE_IS_EMULATED
  GTEST_SKIP() << "hundreds of threads take an emulator minutes";
#endif
  if (kIsWatched) GTEST_SKIP() << "this build watches each access, and takes minutes";
  const Team team(TERRACE_MOST_RANKS);
  ASSERT_EQ(team.status, TERRACE_OK) << terrace_last_error();
  EXPECT_EQ("", team.each([&](int rank) {
    if (terrace_barrier(team.team, rank) != TERRACE_OK) return failure("barrier", rank);
    return allreduce<std::int64_t>(team, rank, TERRACE_SUM, 3, false, 1);
  }));
}

}  // namespace
