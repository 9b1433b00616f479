// SPDX-License-Identifier: BSD-3-Clause
// Goals and methods:
// - A team knows which of its ranks share a worker, whatever kernel thread they run on while it is
//   founded: threads that say where they live, and a call of them.
// - Of many teams on the same cores most do not look at the machine: the calls that teams make of
//   their own, which looks consist of.
#include "threadranks/ranks/rank_team.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace terrace::threadranks {
namespace {

/// The algorithm of a barrier, and the number of calls that its team made besides.
struct Barrier {
  std::string algorithm;
  std::uint64_t other_calls = 0;
};

Barrier barrier_with(const std::vector<RankHome>& homes) {
  const auto ranks = static_cast<Rank>(homes.size());
  RankTeam team(ranks);
  for (Rank rank = 0; rank < ranks; ++rank)
    EXPECT_EQ(team.arrive(rank, homes[rank]), rank + 1 == ranks) << "the last one wakes all others";
  std::vector<WaitEnvironment> wait_environments(ranks);
  std::vector<std::unique_ptr<TeamEndpoint>> endpoints;
  for (Rank rank = 0; rank < ranks; ++rank)
    endpoints.push_back(
        team.take_endpoint(rank, wait_environments[rank], WaitPolicy::for_ranks(ranks, 2)));
  std::vector<std::thread> threads;
  for (const auto& endpoint : endpoints) threads.emplace_back([&] { endpoint->barrier(); });
  for (std::thread& thread : threads) thread.join();
  const TeamEndpoint& first = *endpoints.front();
  return {first.last_plan(), first.calls_of_all_kinds() - first.calls()};
}

std::string barrier_of(const std::vector<RankHome>& homes) {
  return barrier_with(homes).algorithm;
}

TEST(RankTeam, knows_workers_of_ranks_that_run_elsewhere) {
  std::vector<RankHome> homes(8);
  for (Rank rank = 0; rank < 8; ++rank) homes[rank] = {2, rank / 4, rank / 4};
  EXPECT_EQ(barrier_of(homes), "allreduce.in_turns");
  for (RankHome& home : homes) home.pu.reset();
  EXPECT_EQ(barrier_of(homes), "allreduce.in_turns");
}

TEST(RankTeam, has_no_turns_in_order_where_one_is_no_fibre) {
  std::vector<RankHome> homes(8);
  for (Rank rank = 0; rank < 7; ++rank) homes[rank] = {2, rank / 4, rank / 4};
  homes.back().shared_cores = 2;
  EXPECT_NE(barrier_of(homes), "allreduce.in_turns");
}

TEST(RankTeam, has_no_turns_where_each_has_a_worker) {
  EXPECT_EQ(barrier_of({{0, 0, 0}, {0, 1, 1}}), "allreduce.all_read");
}

TEST(RankTeam, seldom_looks_at_cores_that_another_team_has_seen) {
  constexpr int kTeams = 100;
  int look = 0;
  for (int team = 0; team < kTeams; ++team) look += barrier_with({{}, {}}).other_calls > 0;
  EXPECT_LE(look, kTeams / 4);  // not even the first, if another test of the process has looked
}

}  // namespace
}  // namespace terrace::threadranks
