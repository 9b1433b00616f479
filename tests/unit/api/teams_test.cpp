// SPDX-License-Identifier: BSD-3-Clause
// Goal: teams can be made and freed as often as one likes, live side by side, outnumber the cores,
// and take over ranks from thread to thread; what they believe of the machine can be seen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>
#include <vector>

#include "unit/api/threads.hpp"

using namespace terrace::testing_api;
using testing::HasSubstr;

namespace {

std::string sums_are_right(const Team& team, int rank, int calls) {
  std::string wrong;
  for (int call = 0; call < calls && wrong.empty(); ++call)
    wrong = allreduce<double>(team, rank, TERRACE_SUM, static_cast<std::size_t>(call % 20), false,
                              static_cast<std::uint64_t>(call));
  return wrong;
}

cpu_set_t usable_set() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return set;
}

int usable_pus() {
  const cpu_set_t set = usable_set();
  return CPU_COUNT(&set);
}

/// Binds this thread to the `number`-th of the PUs that it may use.
bool bind_to_a_pu(int number) {
  const cpu_set_t usable = usable_set();
  std::size_t pu = 0;
  for (;; ++pu)
    if (CPU_ISSET(pu, &usable) && number-- == 0) break;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(pu, &one);
  return sched_setaffinity(0, sizeof one, &one) == 0;
}

TEST(Teams, can_be_made_and_freed_many_times) {
  for (int round = 0; round < 200; ++round) {
    const Team team(1 + round % 4);
    ASSERT_EQ(TERRACE_OK, team.status);
    ASSERT_EQ("", team.each([&](int rank) { return sums_are_right(team, rank, 3); }));
  }
}

TEST(Teams, can_be_freed_before_anybody_joined) {
  terrace_team* team = nullptr;
  ASSERT_EQ(TERRACE_OK, terrace_team_create(5, nullptr, &team));
  EXPECT_EQ(5, terrace_team_ranks(team));
  EXPECT_STREQ("", terrace_team_hierarchy(team));
  EXPECT_STREQ("", terrace_last_plan(team, 4));
  EXPECT_EQ(TERRACE_OK, terrace_team_destroy(team));
}

TEST(Teams, live_side_by_side) {
  const Team first(2), second(3), third(2);
  const Team* teams[] = {&first, &second, &third};
  EXPECT_EQ("", on_each_rank(7, [&](int thread) {
              const int ends[] = {2, 5, 7};
              int team = 0;
              while (thread >= ends[team]) ++team;
              const int rank = thread - (team == 0 ? 0 : ends[team - 1]);
              return sums_are_right(*teams[team], rank, 300);
            }));
}

/// The same threads in two teams at once, as for rows and columns of a grid.
TEST(Teams, share_threads) {
  const Team row[] = {Team(2), Team(2)}, column[] = {Team(2), Team(2)};
  EXPECT_EQ("", on_each_rank(4, [&](int thread) {
              const int x = thread % 2, y = thread / 2;
              std::string wrong;
              for (int call = 0; call < 200 && wrong.empty(); ++call) {
                wrong = allreduce<double>(row[y], x, TERRACE_SUM, 2, false, 3);
                if (wrong.empty())
                  wrong = allreduce<double>(column[x], y, TERRACE_MAXIMUM, 2, false, 4);
              }
              return wrong;
            }));
}

TEST(Teams, may_outnumber_the_cores) {
  for (const int ranks : {8, 17, 40}) {
    const Team team(ranks);
    EXPECT_EQ("", team.each([&](int rank) { return sums_are_right(team, rank, 40); })) << ranks;
  }
}

TEST(Teams, wait_as_they_are_told) {
  for (const auto waiting : {TERRACE_WAIT_SPINNING, TERRACE_WAIT_YIELDING}) {
    terrace_team_options options = {};
    options.waiting = waiting;
    options.is_flat = 1;
    const Team team(3, options);
    EXPECT_EQ("", team.each([&](int rank) { return sums_are_right(team, rank, 50); }));
    EXPECT_STRNE("", terrace_team_hierarchy(team.team));
  }
}

std::string plans_by_size(const Team& team, bool are_bound) {
  std::string plans;
  const std::string wrong = team.each([&](int rank) -> std::string {
    if (are_bound && !bind_to_a_pu(rank)) return "cannot be bound";
    for (std::size_t count = 1; count <= 8192; count *= 2) {
      std::vector<double> values(count);
      if (terrace_allreduce(TERRACE_IN_PLACE, values.data(), count, TERRACE_DOUBLE, TERRACE_SUM,
                            team.team, rank))
        return failure("allreduce", rank);
      if (rank == 0) plans += std::string(terrace_last_plan(team.team, rank)) + '\n';
    }
    return "";
  });
  return wrong.empty() ? plans : wrong;
}

/// The last to join, bound to one PU, once took that for all the PUs there are.
TEST(Teams, are_not_oversubscribed_by_threads_that_are_bound_apart) {
  if (usable_pus() < 2) GTEST_SKIP() << "needs 2 PUs";
  setenv("TERRACE_MEASURE", "off", 1);  // two measurements would differ
  for (const int is_flat : {0, 1}) {
    terrace_team_options options = {};
    options.is_flat = is_flat;
    const Team free(2, options), bound(2, options);
    EXPECT_EQ(plans_by_size(free, false), plans_by_size(bound, true)) << "is_flat " << is_flat;
  }
  unsetenv("TERRACE_MEASURE");
}

/// OpenMP may run successive regions on other threads; the memory stays with the rank.
TEST(Teams, let_other_threads_take_over_a_rank) {
  const Team team(3);
  for (int region = 0; region < 20; ++region)
    ASSERT_EQ("", team.each([&](int rank) {
      const int other = (rank + region) % 3;
      return terrace_team_join(team.team, other) ? failure("join", other)
                                                 : sums_are_right(team, other, 5);
    }));
}

TEST(Teams, say_which_algorithm_ran) {
  const Team team(2);
  EXPECT_EQ("", team.each([&](int rank) -> std::string {
    if (terrace_barrier(team.team, rank)) return failure("barrier", rank);
    const std::string barrier = terrace_last_plan(team.team, rank);
    double value = 1;
    if (terrace_bcast(&value, 1, TERRACE_DOUBLE, 0, team.team, rank)) return failure("bcast", rank);
    const std::string bcast = terrace_last_plan(team.team, rank);
    return !barrier.empty() && bcast.rfind("bcast.", 0) == 0 ? ""
                                                             : "ran " + barrier + " and " + bcast;
  }));
}

/// Goal: a barrier is one. Method: no rank sees one that has not arrived at it.
TEST(Teams, pass_a_barrier_together) {
  const Team team(3);
  int arrivals[3] = {};  // plain ints: ThreadSanitizer checks that the barrier orders them
  EXPECT_EQ("", team.each([&](int rank) -> std::string {
    for (int round = 1; round <= 500; ++round) {
      arrivals[rank] = round;
      if (terrace_barrier(team.team, rank)) return failure("barrier", rank);
      for (const int arrival : arrivals)
        if (arrival != round) return "rank " + std::to_string(rank) + " left too early";
      if (terrace_barrier(team.team, rank)) return failure("barrier", rank);
    }
    return "";
  }));
}

TEST(Teams, of_impossible_sizes_and_options_are_refused) {
  terrace_team* team = reinterpret_cast<terrace_team*>(&team);
  for (const int ranks : {0, -1, TERRACE_MOST_RANKS + 1}) {
    EXPECT_EQ(TERRACE_ERR_ARGUMENT, terrace_team_create(ranks, nullptr, &team));
    EXPECT_THAT(terrace_last_error(), HasSubstr("a team of " + std::to_string(ranks)));
    EXPECT_EQ(nullptr, team);
  }
  EXPECT_EQ(TERRACE_ERR_ARGUMENT, terrace_team_create(2, nullptr, nullptr));
  terrace_team_options options = {};
  options.reserved[3] = 1;
  EXPECT_EQ(TERRACE_ERR_ARGUMENT, terrace_team_create(2, &options, &team));
  EXPECT_THAT(terrace_last_error(), HasSubstr("reserved"));
  options = {};
  options.waiting = static_cast<terrace_waiting>(3);
  EXPECT_EQ(TERRACE_ERR_ARGUMENT, terrace_team_create(2, &options, &team));
  EXPECT_THAT(terrace_last_error(), HasSubstr("3 is no way of waiting"));
  options = {};
  options.scratch_bytes = SIZE_MAX;
  EXPECT_EQ(TERRACE_ERR_ARGUMENT, terrace_team_create(2, &options, &team));
  EXPECT_THAT(terrace_last_error(), HasSubstr("scratch_bytes"));
  options = {};
  options.stall_seconds = std::nan("");
  EXPECT_EQ(TERRACE_ERR_ARGUMENT, terrace_team_create(2, &options, &team));
  EXPECT_EQ(nullptr, team);
}

/// Sets a variable for the length of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

TEST(Teams, follow_the_machine_that_the_environment_pretends) {
  const Variable machine("TERRACE_MACHINE", "pack:2 [numa] l3:1 core:2 pu:1");
  testing::internal::CaptureStderr();
  const Team team(4);
  const Team again(4);
  const std::string announced = testing::internal::GetCapturedStderr();
  if (team.status == TERRACE_ERR_UNSUPPORTED) GTEST_SKIP() << terrace_last_error();
  EXPECT_EQ(0u, announced.find("terrace: pretending to be on the machine \"pack:2")) << announced;
  EXPECT_EQ(announced.find('\n'), announced.size() - 1) << "announced once per process";
  EXPECT_EQ("", team.each([&](int rank) { return sums_are_right(team, rank, 50); }));
  EXPECT_THAT(terrace_team_hierarchy(team.team), HasSubstr("l3 1: 2-3"));
}

/// Splits until nothing is left to split, and says what it met: "2/4 1/2 0/1" is rank 2 of 4, then
/// 1 of 2, then alone. Each part computes a sum.
std::string way_of(terrace_team* team, int rank) {
  std::string way = std::to_string(rank) + '/' + std::to_string(terrace_team_ranks(team));
  terrace_team* part = nullptr;
  int rank_in_part = -1;
  if (terrace_team_split(team, rank, &part, &rank_in_part) != TERRACE_OK)
    return way + ' ' + terrace_last_error();
  if (part != nullptr) {
    double one = 1, sum = 0;
    terrace_allreduce(&one, &sum, 1, TERRACE_DOUBLE, TERRACE_SUM, part, rank_in_part);
    way += (sum == terrace_team_ranks(part) ? " " : " a wrong sum ") + way_of(part, rank_in_part);
  }
  terrace_barrier(team, rank);  // no rank is in a call of the part any more
  if (rank_in_part == 0) terrace_team_destroy(part);
  return way;
}

std::vector<std::string> ways_of(const Team& team) {
  std::vector<std::string> ways(static_cast<std::size_t>(team.ranks));
  (void)team.each([&](int rank) {
    ways[static_cast<std::size_t>(rank)] = way_of(team.team, rank);
    return std::string();
  });
  return ways;
}

TEST(Teams, split_along_the_machine) {
  const Variable machine("TERRACE_MACHINE", "pack:2 [numa] l3:1 core:2 pu:1");
  const Team team(4);
  if (team.status == TERRACE_ERR_UNSUPPORTED) GTEST_SKIP() << terrace_last_error();
  EXPECT_THAT(ways_of(team),
              testing::ElementsAre("0/4 0/2 0/1", "1/4 1/2 0/1", "2/4 0/2 0/1", "3/4 1/2 0/1"));
}

/// In the order of the ranks, wherever they are bound; a rank on two cores is in no part of one.
TEST(Teams, split_by_the_bindings) {
  const Variable machine("TERRACE_MACHINE", "pack:2 [numa] l3:1 core:2 pu:1");
  const Variable bindings("TERRACE_BIND", "2,0,0+1,3,0,none");
  const Team team(6);
  if (team.status == TERRACE_ERR_UNSUPPORTED) GTEST_SKIP() << terrace_last_error();
  EXPECT_THAT(ways_of(team), testing::ElementsAre("0/6 0/2 0/1", "1/6 0/3 0/2", "2/6 1/3",
                                                  "3/6 1/2 0/1", "4/6 2/3 1/2", "5/6"));
}

/// No rank waits for one with wrong arguments, and the part that it leads is made all the same.
TEST(Teams, split_where_a_leader_gives_no_address) {
  const Variable machine("TERRACE_MACHINE", "pack:2 [numa] l3:1 core:2 pu:1");
  const Team team(4);
  if (team.status == TERRACE_ERR_UNSUPPORTED) GTEST_SKIP() << terrace_last_error();
  terrace_team* parts[4] = {};
  int ranks_in_parts[4] = {};
  const auto split = [&](int rank) -> std::string {
    terrace_team** const part = rank == 0 ? nullptr : &parts[rank];
    const auto status = terrace_team_split(team.team, rank, part, &ranks_in_parts[rank]);
    return status == TERRACE_OK ? "" : terrace_last_error();
  };
  EXPECT_THAT(team.each(split), HasSubstr("an address is null"));
  EXPECT_THAT(ranks_in_parts, testing::ElementsAre(-1, 1, 0, 1));
  EXPECT_EQ(parts[2], parts[3]);
  for (terrace_team* part : {parts[1], parts[2]}) {
    EXPECT_EQ(2, terrace_team_ranks(part));
    EXPECT_EQ(TERRACE_OK, terrace_team_destroy(part));
  }
}

TEST(Teams, that_nothing_divides_have_no_parts) {
  terrace_team_options flat = {};
  flat.is_flat = 1;
  const Team team(3, flat);
  EXPECT_THAT(ways_of(team), testing::ElementsAre("0/3", "1/3", "2/3"));
}

TEST(Teams, are_refused_on_a_machine_that_cannot_be_pretended) {
  terrace_team* team = nullptr;
  const Variable machine("TERRACE_MACHINE", "no such thing");
  const terrace_status status = terrace_team_create(2, nullptr, &team);
  EXPECT_THAT(terrace_last_error(), HasSubstr("TERRACE_MACHINE"));
  EXPECT_THAT(status, testing::AnyOf(TERRACE_ERR_ARGUMENT, TERRACE_ERR_UNSUPPORTED));
  terrace_team_options flat = {};
  flat.is_flat = 1;
  EXPECT_EQ(TERRACE_OK, terrace_team_create(2, &flat, &team)) << "a flat team does not look";
  EXPECT_EQ(TERRACE_OK, terrace_team_destroy(team));
}

std::string stderr_of_a_wait(const Team& team, bool joins_first) {
  testing::internal::CaptureStderr();
  std::atomic<bool> is_waiting = false;
  const std::string wrong = team.each([&](int rank) -> std::string {
    if (joins_first && terrace_team_join(team.team, rank)) return failure("join", rank);
    if (rank == 0) is_waiting = true;  // seq_cst; partner: the loop below
    if (rank == 1) {
      while (!is_waiting) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(600));
    }
    return terrace_barrier(team.team, rank) ? failure("barrier", rank) : "";
  });
  EXPECT_EQ("", wrong);
  return testing::internal::GetCapturedStderr();
}

TEST(LongWaits, name_who_is_missing) {
  terrace_team_options options = {};
  options.stall_seconds = 0.1;
  const Team team(2, options);
  const std::string joining = stderr_of_a_wait(team, false);
  // A busy machine notices late, but never before the 0.1 seconds are over.
  EXPECT_THAT(joining,
              testing::ContainsRegex(
                  "rank 0 of a team of 2 has waited (0.)?[1-9][0-9.]* s for rank 1 to join"));
  const std::string calling = stderr_of_a_wait(team, true);
  EXPECT_THAT(calling, testing::ContainsRegex("rank 0 of a team of 2 has waited (0.)?[1-9]"));
  EXPECT_THAT(calling, HasSubstr("in its call 2, barrier; rank 1 is in no call, after 1"));
}

TEST(LongWaits, are_not_reported_where_that_is_off) {
  terrace_team_options options = {};
  options.stall_seconds = -1;
  const Team team(2, options);
  EXPECT_EQ("", stderr_of_a_wait(team, true));
}

}  // namespace
