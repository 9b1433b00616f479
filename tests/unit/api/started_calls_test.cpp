// SPDX-License-Identifier: BSD-3-Clause
// Goal: started and prepared calls of thread teams give the right elements, whatever is pending
// beside them and wherever each rank completes them; no start waits; what is misused is told so.
// Method: real threads, each with an order of its own, drawn from a seed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "unit/api/any_call.hpp"

using namespace terrace::testing_api;
using testing::HasSubstr;

namespace {

constexpr std::size_t kLengths[] = {0, 1, 5, 77, 1500, 6000};

template <class Number>
int drawn(std::mt19937_64& random, Number below) {
  return static_cast<int>(random() % static_cast<std::uint64_t>(below));
}

/// A call that a rank has made and not completed.
struct Outstanding {
  std::unique_ptr<AnyCall> its;
  terrace_call* call = nullptr;
};

/// Completes a call by waiting, or by testing until it is over.
std::string complete(Outstanding& one, bool tests) {
  int is_done = 0;
  while (tests && !is_done)
    if (terrace_test(&one.call, &is_done) != TERRACE_OK)
      return one.its->what() + terrace_last_error();
  if (!tests && terrace_wait(&one.call) != TERRACE_OK)
    return one.its->what() + terrace_last_error();
  return one.its->check();
}

/// Every collective, count and root, in place and not; started, waited for.
std::string every_call(const Team& team, int rank) {
  std::string wrong;
  std::uint64_t seed = 0;
  for (int kind = 0; kind < kAnyCount; ++kind)
    for (const std::size_t count : kLengths)
      for (const bool in_place : {false, true})
        for (int root = 0; root < team.ranks && wrong.empty(); ++root) {
          Outstanding one{std::make_unique<AnyCall>(team, rank, Any(kind), count, root, in_place)};
          one.its->fill(++seed);
          if (one.its->make(Way::started, &one.call) != TERRACE_OK)
            return one.its->what() + ": " + terrace_last_error();
          wrong = complete(one, seed % 2 == 0);
          if (one.call != nullptr) wrong += ", and its handle is still there";
        }
  return wrong;
}

TEST(StartedCalls, give_what_blocking_calls_give) {
  for (const int ranks : {1, 2, 3, 5}) {
    const Team team(ranks);
    EXPECT_EQ("", team.each([&](int rank) { return every_call(team, rank); })) << ranks;
  }
}

TEST(StartedCalls, are_compared_where_that_is_wanted) {
  terrace_team_options options = {};
  options.checks_calls = 1;
  const Team team(3, options);
  EXPECT_EQ("", team.each([&](int rank) { return every_call(team, rank); }));
}

TEST(StartedCalls, cut_long_vectors_into_strips_where_scratch_is_small) {
  terrace_team_options options = {};
  options.scratch_bytes = 1;
  const Team team(3, options);
  EXPECT_EQ("", team.each([&](int rank) {
    std::string wrong;
    for (int kind = 0; kind < kAnyCount && wrong.empty(); ++kind) {
      Outstanding one{std::make_unique<AnyCall>(team, rank, Any(kind), 200'000, 1, false)};
      one.its->fill(7);
      if (one.its->make(Way::started, &one.call)) return failure("start", rank);
      wrong = complete(one, false);
    }
    return wrong;
  }));
}

/// A program of starts and blocking calls, the same on all ranks, while each rank completes its
/// calls when and in the order that its own generator says.
std::string random_program(const Team& team, int rank, std::uint64_t seed, int most_outstanding) {
  std::mt19937_64 program(seed);
  std::mt19937_64 own(seed * 31 + static_cast<std::uint64_t>(rank));
  std::vector<Outstanding> outstanding;
  for (std::uint64_t step = 1; step <= 150; ++step) {
    const auto kind = Any(drawn(program, kAnyCount));
    const std::size_t count = kLengths[static_cast<std::size_t>(drawn(program, 6))];
    const int root = drawn(program, team.ranks);
    const bool in_place = drawn(program, 2), blocks = drawn(program, 4) == 0;
    Outstanding made{std::make_unique<AnyCall>(team, rank, kind, count, root, in_place)};
    made.its->fill(seed + step);
    if (made.its->make(blocks ? Way::blocking : Way::started, &made.call) != TERRACE_OK)
      return made.its->what() + ": " + terrace_last_error();
    if (blocks) {
      if (const std::string wrong = made.its->check(); !wrong.empty()) return wrong;
    } else {
      outstanding.push_back(std::move(made));
    }
    while (!outstanding.empty() &&
           (static_cast<int>(outstanding.size()) > most_outstanding || drawn(own, 3) == 0)) {
      const int which = drawn(own, outstanding.size());
      const std::string wrong =
          complete(outstanding[static_cast<std::size_t>(which)], drawn(own, 2) == 0);
      if (!wrong.empty()) return wrong;
      outstanding.erase(outstanding.begin() + which);
    }
  }
  std::vector<terrace_call*> calls;
  for (const Outstanding& one : outstanding) calls.push_back(one.call);
  if (terrace_wait_all(calls.size(), calls.data())) return failure("wait_all", rank);
  for (const Outstanding& one : outstanding)
    if (const std::string wrong = one.its->check(); !wrong.empty()) return wrong;
  return "";
}

TEST(StartedCalls, are_completed_in_any_order_beside_blocking_ones) {
  for (const int ranks : {2, 3, 4})
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const Team team(ranks);
      const int most = static_cast<int>(seed % 9) + 1;
      ASSERT_EQ("", team.each([&](int rank) {
        return random_program(team, rank, seed * 1000, most);
      })) << ranks
          << " ranks, seed " << seed;
    }
}

/// Goal: nothing waits at a start, be it the first of a team or one beyond the lanes. Method: one
/// rank starts many and says so, then the others begin.
TEST(StartedCalls, do_not_wait_for_ranks_that_have_not_come) {
  constexpr int kCalls = 20;
  const Team team(3);
  std::atomic<bool> has_started{false};
  EXPECT_EQ("", team.each([&](int rank) -> std::string {
    if (rank != 1) has_started.wait(false);
    std::vector<double> mine(kCalls, rank), sums(kCalls);
    std::vector<terrace_call*> calls(kCalls);
    for (std::size_t i = 0; i < kCalls; ++i)
      if (terrace_start_allreduce(&mine[i], &sums[i], 1, TERRACE_DOUBLE, TERRACE_SUM, team.team,
                                  rank, &calls[i]))
        return failure("start", rank);
    if (rank == 1) {
      int is_done = 1;
      if (terrace_test(&calls[0], &is_done)) return failure("test", rank);
      if (is_done) return "a call was over without the others";
      has_started = true;
      has_started.notify_all();
    }
    for (std::size_t i = kCalls; i-- > 0;)
      if (terrace_wait(&calls[i])) return failure("wait", rank);
    for (const double sum : sums)
      if (sum != 3) return "a sum is wrong";
    return "";
  }));
}

/// Goal: a call that needs a rank goes on while that rank waits elsewhere. Method: ranks wait for
/// each other crosswise, over long vectors, of which each reads the other's where it lies.
TEST(StartedCalls, go_on_while_their_thread_waits_elsewhere) {
  constexpr std::size_t kCount = 100'000;
  const Team team(2), other(2);
  EXPECT_EQ("", team.each([&](int rank) -> std::string {
    std::vector<double> a(kCount, 1), b(kCount), c(kCount, 2), d(kCount);
    for (int round = 0; round < 20; ++round) {
      terrace_call* first = nullptr;
      terrace_call* second = nullptr;
      if (terrace_start_allreduce(a.data(), b.data(), kCount, TERRACE_DOUBLE, TERRACE_SUM,
                                  team.team, rank, &first) ||
          terrace_start_alltoall(c.data(), d.data(), kCount / 2, TERRACE_DOUBLE, other.team, rank,
                                 &second))
        return failure("start", rank);
      if (terrace_wait(rank == 0 ? &first : &second)) return failure("wait", rank);
      if (terrace_barrier(round % 2 ? team.team : other.team, rank))
        return failure("barrier", rank);
      if (terrace_wait(rank == 0 ? &second : &first)) return failure("wait", rank);
      if (b[kCount - 1] != 2 || d[0] != 2) return "wrong elements";
    }
    return "";
  }));
}

/// Goal: a blocking call goes on with what is pending, even if it need not wait. Method: a root
/// sends a long vector, which its peer reads where it lies, and the peer's bcasts return at once.
TEST(StartedCalls, go_on_in_blocking_calls_that_do_not_wait) {
  constexpr std::size_t kCount = 100'000;
  const Team team(2);
  std::atomic<bool> has_started{false}, is_over{false};
  EXPECT_EQ("", team.each([&](int rank) -> std::string {
    std::vector<double> values(kCount, rank);
    double value = 1;
    terrace_call* call = nullptr;
    if (terrace_barrier(team.team, rank)) return failure("barrier", rank);
    if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));  // 0 starts first
    if (terrace_start_bcast(values.data(), kCount, TERRACE_DOUBLE, 1, team.team, rank, &call))
      return failure("start", rank);
    if (rank == 1) {
      has_started = true;
      has_started.notify_all();
      if (terrace_wait(&call)) return failure("wait", rank);
      is_over = true;
    }
    has_started.wait(false);
    for (int i = 0; i < 3; ++i)
      if (terrace_bcast(&value, 1, TERRACE_DOUBLE, 0, team.team, rank))
        return failure("bcast", rank);
    for (int ms = 0; !is_over && ms < 5000; ++ms)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const bool was_held_up = !is_over;
    if (rank == 0 && terrace_wait(&call)) return failure("wait", rank);
    return was_held_up ? "the root was held up" : values[7] == 1 ? "" : "wrong elements";
  }));
}

/// A rank that has not joined a second team is waited for there by one whose call it has to go on
/// with.
TEST(StartedCalls, go_on_while_their_thread_joins_another_team) {
  constexpr std::size_t kCount = 100'000;
  const Team team(2), late(2);
  EXPECT_EQ("", team.each([&](int rank) -> std::string {
    std::vector<double> a(kCount, 1), b(kCount);
    terrace_call* call = nullptr;
    if (terrace_start_bcast(a.data(), kCount, TERRACE_DOUBLE, 1, team.team, rank, &call))
      return failure("start", rank);
    if (rank == 1 && terrace_wait(&call)) return failure("wait", rank);
    if (terrace_team_join(late.team, rank)) return failure("join", rank);
    if (rank == 0 && terrace_wait(&call)) return failure("wait", rank);
    return "";
  }));
}

TEST(StartedCalls, let_threads_that_outnumber_the_cores_test_in_loops) {
  const Team team(9);
  EXPECT_EQ("", team.each([&](int rank) -> std::string {
    for (int round = 0; round < 50; ++round) {
      double mine = 1, sum = 0;
      terrace_call* call = nullptr;
      if (terrace_start_allreduce(&mine, &sum, 1, TERRACE_DOUBLE, TERRACE_SUM, team.team, rank,
                                  &call))
        return failure("start", rank);
      for (int is_done = 0; !is_done;)
        if (terrace_test(&call, &is_done)) return failure("test", rank);
      if (sum != 9) return "wrong sum";
    }
    return "";
  }));
}

/// Sums that round differently in each order, by a blocking and a started call at once.
std::string sums_are_the_same(const Team& team, int rank, std::size_t count) {
  std::vector<double> mine(count), blocking(count), started(count);
  for (std::size_t i = 0; i < count; ++i) mine[i] = 1 / (1.0 + static_cast<double>(i) + 3.7 * rank);
  terrace_call* call = nullptr;
  if (terrace_start_allreduce(mine.data(), started.data(), count, TERRACE_DOUBLE, TERRACE_SUM,
                              team.team, rank, &call) ||
      terrace_allreduce(mine.data(), blocking.data(), count, TERRACE_DOUBLE, TERRACE_SUM, team.team,
                        rank) ||
      terrace_wait(&call))
    return failure("allreduce", rank);
  return started == blocking ? "" : "bits differ, of " + std::to_string(count);
}

TEST(StartedCalls, give_the_same_bits_as_blocking_ones) {
  for (const int ranks : {3, 9})
    for (const int is_reproducible : {0, 1}) {
      terrace_team_options options = {};
      options.is_reproducible = is_reproducible;
      const Team team(ranks, options);
      EXPECT_EQ("", team.each([&](int rank) {
        std::string wrong;
        for (const std::size_t count : {1u, 100u, 3000u})
          for (int round = 0; round < 5 && wrong.empty(); ++round)
            wrong = sums_are_the_same(team, rank, count);
        return wrong;
      })) << ranks
          << " ranks, reproducible: " << is_reproducible;
    }
}

/// A thread that ends leaves its calls to the one that takes over its rank.
TEST(StartedCalls, are_completed_by_another_thread_once_their_own_has_ended) {
  const Team team(2);
  EXPECT_EQ("", team.each([&](int rank) -> std::string {
    std::vector<double> mine(50'000, rank + 1), sum(50'000);
    terrace_call* call = nullptr;
    std::string wrong;
    const auto start = [&] {
      if (terrace_start_allreduce(mine.data(), sum.data(), mine.size(), TERRACE_DOUBLE, TERRACE_SUM,
                                  team.team, rank, &call))
        wrong = failure("start", rank);
    };
    if (rank == 0)
      std::thread(start).join();
    else
      start();
    if (!wrong.empty() || terrace_wait(&call)) return wrong + failure("wait", rank);
    return sum.back() == 3 ? "" : "wrong sum";
  }));
}

// Prepared calls.

TEST(PreparedCalls, are_started_often_with_what_lies_in_their_buffers) {
  for (const bool checks : {false, true}) {
    terrace_team_options options = {};
    options.checks_calls = checks;
    const Team team(3, options);
    EXPECT_EQ("", team.each([&](int rank) -> std::string {
      for (int kind = 0; kind < kAnyCount; ++kind)
        for (const std::size_t count : {1u, 1500u}) {
          Outstanding one{
              std::make_unique<AnyCall>(team, rank, Any(kind), count, 2, kind % 2 == 0)};
          one.its->fill(1);
          if (one.its->make(Way::prepared, &one.call)) return failure("prepare", rank);
          for (std::uint64_t round = 1; round <= 20; ++round) {
            one.its->fill(round);
            if (terrace_start(one.call)) return failure("start", rank);
            if (const std::string wrong = complete(one, round % 2); !wrong.empty()) return wrong;
            if (one.call == nullptr) return "a prepared call has gone";
          }
          if (terrace_call_free(&one.call) || one.call != nullptr) return failure("free", rank);
        }
      return "";
    }));
  }
}

/// Several of them beside started and blocking calls, in orders that differ between ranks.
TEST(PreparedCalls, are_started_and_completed_in_any_order) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const int ranks = 2 + static_cast<int>(seed % 3);
    const Team team(ranks);
    ASSERT_EQ("", team.each([&](int rank) -> std::string {
      std::mt19937_64 program(seed), own(seed * 77 + static_cast<std::uint64_t>(rank));
      std::vector<Outstanding> prepared;
      for (int i = 0; i < 6; ++i) {
        const auto kind = Any(drawn(program, kAnyCount));
        const std::size_t count = kLengths[static_cast<std::size_t>(drawn(program, 6))];
        prepared.push_back(
            {std::make_unique<AnyCall>(team, rank, kind, count, drawn(program, ranks), false)});
        prepared.back().its->fill(1);
        if (prepared.back().its->make(Way::prepared, &prepared.back().call))
          return failure("prepare", rank);
      }
      for (std::uint64_t round = 0; round < 20; ++round) {
        std::shuffle(prepared.begin(), prepared.end(), own);
        for (Outstanding& one : prepared) {
          one.its->fill(round);
          if (terrace_start(one.call)) return failure("start", rank);
        }
        std::string wrong = allreduce<double>(team, rank, TERRACE_SUM, 9, false, round);
        std::shuffle(prepared.begin(), prepared.end(), own);
        for (Outstanding& one : prepared)
          if (wrong.empty()) wrong = complete(one, drawn(own, 2) == 0);
        if (!wrong.empty()) return wrong;
      }
      for (Outstanding& one : prepared)
        if (terrace_call_free(&one.call)) return failure("free", rank);
      return "";
    })) << "seed "
        << seed;
  }
}

// Misuse.

/// A status with its sentence, taken together.
std::string unlike(terrace_status status, terrace_status expected, const std::string& sentence) {
  if (status != expected)
    return std::string("status ") + terrace_error_string(status) + ", not " +
           terrace_error_string(expected);
  const std::string last = terrace_last_error();
  return last.find(sentence) != std::string::npos ? "" : "'" + last + "' lacks '" + sentence + "'";
}

/// One rank alone: no call can hang.
class Misuse : public testing::Test {
 protected:
  terrace_status start(terrace_call** call) {
    return terrace_start_allreduce(&mine, &sum, 1, TERRACE_DOUBLE, TERRACE_SUM, alone.team, 0,
                                   call);
  }
  terrace_status prepare(terrace_call** call) {
    return terrace_prepare_allreduce(&mine, &sum, 1, TERRACE_DOUBLE, TERRACE_SUM, alone.team, 0,
                                     call);
  }
  void TearDown() override {  // the team works
    terrace_call* call = nullptr;
    ASSERT_EQ(TERRACE_OK, start(&call));
    ASSERT_EQ(TERRACE_OK, terrace_wait(&call));
    ASSERT_EQ(7, sum);
  }
  Team alone{1};
  double mine = 7, sum = 0;
};

TEST_F(Misuse, by_null_is_refused) {
  const auto argument = TERRACE_ERR_ARGUMENT;
  terrace_call* none = nullptr;
  int is_done = 7;
  EXPECT_EQ("", unlike(start(nullptr), argument, "`call` is null"));
  EXPECT_EQ("", unlike(prepare(nullptr), argument, "`call` is null"));
  EXPECT_EQ("", unlike(terrace_start(nullptr), argument, "the call is null"));
  EXPECT_EQ("", unlike(terrace_wait(nullptr), argument, "`call` is null"));
  EXPECT_EQ("", unlike(terrace_wait(&none), argument, "the call is null"));
  EXPECT_EQ("", unlike(terrace_test(nullptr, &is_done), argument, "`call` is null"));
  EXPECT_EQ(0, is_done);
  EXPECT_EQ("", unlike(terrace_test(&none, &is_done), argument, "the call is null"));
  EXPECT_EQ("", unlike(terrace_test(&none, nullptr), argument, "`is_done` is null"));
  EXPECT_EQ("", unlike(terrace_wait_all(2, nullptr), argument, "`calls` is null"));
  EXPECT_EQ("", unlike(terrace_call_free(nullptr), argument, "`call` is null"));
  EXPECT_EQ(TERRACE_OK, terrace_call_free(&none));
  EXPECT_EQ(TERRACE_OK, terrace_wait_all(0, nullptr));
  EXPECT_EQ(TERRACE_OK, terrace_wait_all(1, &none));
}

TEST_F(Misuse, of_arguments_is_found_at_the_start) {
  terrace_call* call = reinterpret_cast<terrace_call*>(&mine);
  EXPECT_EQ("", unlike(terrace_start_allreduce(nullptr, &sum, 1, TERRACE_DOUBLE, TERRACE_SUM,
                                               alone.team, 0, &call),
                       TERRACE_ERR_ARGUMENT, "the input of rank 0 is null"));
  EXPECT_EQ(nullptr, call);
  EXPECT_EQ("", unlike(terrace_start_barrier(nullptr, 0, &call), TERRACE_ERR_ARGUMENT,
                       "the team is null"));
  EXPECT_EQ("", unlike(terrace_start_barrier(alone.team, 1, &call), TERRACE_ERR_ARGUMENT,
                       "rank 1 is not in the team"));
  EXPECT_EQ("", unlike(terrace_prepare_bcast(&mine, 1, TERRACE_DOUBLE, 5, alone.team, 0, &call),
                       TERRACE_ERR_ARGUMENT, "root 5 is not in the team"));
  EXPECT_EQ("", unlike(terrace_prepare_scan(&mine, &sum, 1, TERRACE_DOUBLE, TERRACE_BITWISE_OR,
                                            alone.team, 0, &call),
                       TERRACE_ERR_UNSUPPORTED, "of float"));
  EXPECT_EQ(nullptr, call);
}

TEST_F(Misuse, by_waiting_twice_is_refused) {
  terrace_call* call = nullptr;
  ASSERT_EQ(TERRACE_OK, start(&call));
  terrace_call* const copy = call;
  ASSERT_EQ(TERRACE_OK, terrace_wait(&call));
  EXPECT_EQ("", unlike(terrace_wait(&call), TERRACE_ERR_ARGUMENT, "the call is null"));
  call = copy;
  EXPECT_EQ("", unlike(terrace_wait(&call), TERRACE_ERR_ARGUMENT, "has been waited for"));
  EXPECT_EQ("", unlike(terrace_start(call), TERRACE_ERR_ARGUMENT, "has been waited for"));
}

TEST_F(Misuse, of_prepared_calls_is_refused) {
  const auto argument = TERRACE_ERR_ARGUMENT;
  terrace_call* call = nullptr;
  int is_done = 0;
  ASSERT_EQ(TERRACE_OK, prepare(&call));
  EXPECT_EQ("",
            unlike(terrace_wait(&call), argument, "prepared call (allreduce) of rank 0 is not"));
  EXPECT_EQ("", unlike(terrace_test(&call, &is_done), argument, "is not started"));
  ASSERT_EQ(TERRACE_OK, terrace_start(call));
  EXPECT_EQ("", unlike(terrace_start(call), argument, "is active"));
  EXPECT_EQ("", unlike(terrace_call_free(&call), argument, "is active"));
  EXPECT_EQ("", unlike(terrace_team_destroy(alone.team), argument, "rank 0 has calls"));
  ASSERT_EQ(TERRACE_OK, terrace_wait(&call));
  EXPECT_EQ("", unlike(terrace_wait(&call), argument, "has been waited for"));
  EXPECT_EQ("", unlike(terrace_team_destroy(alone.team), argument, "rank 0 has calls"));
  ASSERT_EQ(TERRACE_OK, terrace_call_free(&call));
  EXPECT_EQ(nullptr, call);
  ASSERT_EQ(TERRACE_OK, start(&call));
  EXPECT_EQ("", unlike(terrace_start(call), argument, "is active"));
  EXPECT_EQ("", unlike(terrace_call_free(&call), argument, "is active"));
  ASSERT_EQ(TERRACE_OK, terrace_wait(&call));
}

/// The first failure's status and sentence; the other calls are completed.
TEST_F(Misuse, among_several_calls_lets_the_others_be_completed) {
  terrace_call* calls[3] = {};
  ASSERT_EQ(TERRACE_OK, start(&calls[0]));
  ASSERT_EQ(TERRACE_OK, prepare(&calls[1]));
  ASSERT_EQ(TERRACE_OK, start(&calls[2]));
  EXPECT_EQ("", unlike(terrace_wait_all(3, calls), TERRACE_ERR_ARGUMENT, "is not started"));
  EXPECT_EQ(nullptr, calls[0]);
  EXPECT_EQ(nullptr, calls[2]);
  ASSERT_EQ(TERRACE_OK, terrace_call_free(&calls[1]));
}

TEST(MisuseByThreads, is_told_to_one_that_takes_over_a_rank_with_calls) {
  const Team team(2);
  double mine[2] = {1, 1}, sums[2] = {};
  terrace_call* calls[2] = {};
  const auto start = [&](int rank) {
    return terrace_start_allreduce(&mine[rank], &sums[rank], 1, TERRACE_DOUBLE, TERRACE_SUM,
                                   team.team, rank, &calls[rank]);
  };
  ASSERT_EQ(TERRACE_OK, start(0));
  std::thread([&] {
    terrace_call* other = nullptr;
    const char* const sentence = "another thread has started calls as rank 0";
    EXPECT_EQ("", unlike(terrace_wait(&calls[0]), TERRACE_ERR_ARGUMENT, sentence));
    EXPECT_EQ("",
              unlike(terrace_start_barrier(team.team, 0, &other), TERRACE_ERR_ARGUMENT, sentence));
    EXPECT_EQ("",
              unlike(terrace_team_destroy(team.team), TERRACE_ERR_ARGUMENT, "rank 0 has calls"));
    EXPECT_EQ("", unlike(terrace_barrier(team.team, 0), TERRACE_ERR_ARGUMENT, sentence));
  }).join();
  ASSERT_EQ(TERRACE_OK, start(1));  // one thread may be both ranks
  EXPECT_EQ(TERRACE_OK, terrace_wait_all(2, calls));
  EXPECT_EQ(2, sums[0]);
  EXPECT_EQ(2, sums[1]);
}

// Calls that do not match.

TEST(StartedMismatches, are_named_on_every_rank_where_calls_are_compared) {
  terrace_team_options options = {};
  options.checks_calls = 1;
  const Team team(3, options);
  EXPECT_EQ("", team.each([&](int rank) -> std::string {
    for (int round = 0; round < 10; ++round) {
      double mine[2] = {1, 1}, sum[2] = {-1, -1}, good = 0;
      terrace_call* calls[2] = {};
      if (terrace_start_allreduce(mine, sum, rank == 2 ? 2 : 1, TERRACE_DOUBLE, TERRACE_SUM,
                                  team.team, rank, &calls[0]) ||
          terrace_start_allreduce(mine, &good, 1, TERRACE_DOUBLE, TERRACE_SUM, team.team, rank,
                                  &calls[1]))
        return failure("start", rank);
      std::string wrong = unlike(terrace_wait_all(2, calls), TERRACE_ERR_MISMATCH,
                                 "rank 0 calls allreduce of 1 float64 by sum, rank 2 calls "
                                 "allreduce of 2 float64 by sum");
      if (!wrong.empty()) return wrong;
      if (sum[0] != -1 || good != 3) return "wrote " + std::to_string(sum[0]);
    }
    return "";
  }));
}

/// Without the option: both ranks are told, one of them in a call that its peer never starts, as it
/// has left; they make no other.
TEST(StartedMismatches, break_the_team) {
  terrace_team* team = nullptr;
  ASSERT_EQ(TERRACE_OK, terrace_team_create(2, nullptr, &team));
  std::atomic<bool> has_left{false};
  EXPECT_EQ("", on_each_rank(2, [&](int rank) -> std::string {
              double mine = 1, sum = 0;
              terrace_call* calls[2] = {};
              const auto start = [&](int which, terrace_operator op) {
                return terrace_start_allreduce(&mine, &sum, 1, TERRACE_DOUBLE, op, team, rank,
                                               &calls[which]);
              };
              // The first call begins when both have started it; later ones send what they can at
              // once.
              if (start(0, TERRACE_SUM) || terrace_wait(&calls[0]))
                return failure("first call", rank);
              if (start(0, rank ? TERRACE_MAXIMUM : TERRACE_SUM)) return failure("start", rank);
              if (rank == 1) {
                has_left.wait(false);
                if (start(1, TERRACE_SUM)) return failure("start", rank);
                const std::string wrong = unlike(terrace_wait(&calls[1]), TERRACE_ERR_BROKEN,
                                                 "since another rank has left the team");
                if (!wrong.empty()) return wrong;
              }
              const std::string wrong = unlike(terrace_wait(&calls[0]), TERRACE_ERR_BROKEN,
                                               rank == 0 ? "where rank 1 makes allreduce" : "");
              has_left = true;
              has_left.notify_all();
              if (!wrong.empty()) return wrong;
              const std::string then =
                  unlike(start(0, TERRACE_SUM), TERRACE_ERR_BROKEN, "the team broke");
              if (!then.empty()) return then;
              return unlike(terrace_barrier(team, rank), TERRACE_ERR_BROKEN, "the team broke");
            }));
  EXPECT_EQ(TERRACE_OK, terrace_team_destroy(team));
}

TEST(StartedMismatches, of_last_calls_are_told_to_who_destroys_the_team) {
  terrace_team* team = nullptr;
  ASSERT_EQ(TERRACE_OK, terrace_team_create(2, nullptr, &team));
  EXPECT_EQ("", on_each_rank(2, [&](int rank) -> std::string {
              double value = 1;
              terrace_call* call = nullptr;  // both are roots, and wait for nobody
              if (terrace_start_bcast(&value, 1, TERRACE_DOUBLE, rank, team, rank, &call) ||
                  terrace_wait(&call))
                return failure("bcast", rank);
              return "";
            }));
  EXPECT_EQ(
      "", unlike(terrace_team_destroy(team), TERRACE_ERR_MISMATCH, "bcast of 8 bytes from rank 1"));
}

TEST(StartedMismatches, of_prepared_calls_are_told_when_they_are_freed) {
  const Team team(2);
  EXPECT_EQ("", team.each([&](int rank) -> std::string {
    double value = 1;
    terrace_call* call = nullptr;
    if (terrace_prepare_bcast(&value, 1, TERRACE_DOUBLE, rank, team.team, rank, &call) ||
        terrace_start(call) || terrace_wait(&call))
      return failure("bcast", rank);
    if (terrace_barrier(team.team, rank)) return failure("barrier", rank);
    const std::string wrong =
        unlike(terrace_call_free(&call), TERRACE_ERR_BROKEN, "makes bcast of 8 bytes from rank");
    return call == nullptr ? wrong : "it was not freed";
  }));
}

/// A rank that waits long says for what.
TEST(StartedCalls, report_waits_that_last) {
  terrace_team_options options = {};
  options.stall_seconds = 0.05;
  const Team team(2, options);
  testing::internal::CaptureStderr();
  EXPECT_EQ("", team.each([&](int rank) -> std::string {
    double mine = 1, sum = 0;
    if (terrace_barrier(team.team, rank)) return failure("barrier", rank);
    if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    terrace_call* call = nullptr;
    if (terrace_start_allreduce(&mine, &sum, 1, TERRACE_DOUBLE, TERRACE_SUM, team.team, rank,
                                &call) ||
        terrace_wait(&call))
      return failure("allreduce", rank);
    return "";
  }));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::AllOf(HasSubstr("rank 0 of a team of 2 has waited"),
                             HasSubstr("in a wait for a started call, after 2"),
                             HasSubstr("rank 1 is in no call, after 1")));
}

}  // namespace
