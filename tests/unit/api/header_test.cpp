// SPDX-License-Identifier: BSD-3-Clause
// Goal: the C++ header passes on what it is given, refuses at compile time what has no meaning, and
// throws what went wrong. And the library shows nothing but its own functions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <span>
#include <terrace/terrace.hpp>

#include "unit/api/threads.hpp"

using terrace::testing_api::on_each_rank;

namespace {

static_assert(terrace::type_of<char>() == (std::is_signed_v<char> ? TERRACE_INT8 : TERRACE_UINT8));
static_assert(terrace::type_of<short>() == TERRACE_INT16);
static_assert(terrace::type_of<long long>() == TERRACE_INT64);
static_assert(terrace::type_of<unsigned>() == TERRACE_UINT32);
static_assert(terrace::type_of<float>() == TERRACE_FLOAT);
static_assert(terrace::type_of<double>() == TERRACE_DOUBLE);
static_assert(!terrace::element<bool> && !terrace::element<long double> && !terrace::element<int*>);
static_assert(terrace::combines<decltype(terrace::bitwise_and), unsigned>);
static_assert(!terrace::combines<decltype(terrace::bitwise_and), double>);
static_assert(!terrace::combines<decltype(terrace::logical_or), float>);
static_assert(!terrace::combines<int, int>);
static_assert(terrace::writable<std::vector<int>&> && !terrace::writable<const std::vector<int>&>);
static_assert(terrace::writable<std::span<double>> && !terrace::writable<std::span<const double>>);

TEST(Header, takes_vectors_arrays_spans_and_single_values) {
  const terrace::team team(3);
  EXPECT_EQ("", on_each_rank(3, [&](int rank) -> std::string {
              const terrace::member me = team.join(rank);
              const std::vector<float> input = {1, 2, 3};
              std::vector<float> output(3);
              me.allreduce(input, output, terrace::sum);
              if (output != std::vector<float>{3, 6, 9}) return "allreduce of a vector";
              std::array<std::uint8_t, 2> bits = {static_cast<std::uint8_t>(1 << rank), 7};
              me.allreduce(std::span(bits), terrace::bitwise_or);
              if (bits[0] != 7 || bits[1] != 7) return "allreduce of a span in place";
              if (me.allreduce(rank, terrace::maximum) != 2) return "allreduce of a value";
              if (me.bcast(10.5 + rank, 1) != 11.5) return "bcast of a value";
              std::array<long, 4> sent = {};
              if (rank == 2) sent = {4, 5, 6, 7};
              me.bcast(sent, 2);
              if (sent[3] != 7) return "bcast of an array";
              std::vector<float> at_root(rank == 1 ? 3 : 0);
              me.reduce(input, at_root, terrace::product, 1);
              if (rank == 1 && at_root[2] != 27) return "reduce of a vector";
              std::vector<int> mine = {rank, 5};
              me.reduce(mine, terrace::minimum, 2);
              if (rank == 2 ? mine[0] != 0 : mine[0] != rank) return "reduce in place";
              me.barrier();
              return me.ranks() == 3 && me.rank() == rank ? "" : "who am I?";
            }));
}

TEST(Header, moves_blocks_and_scans) {
  const terrace::team team(2);
  EXPECT_EQ("", on_each_rank(2, [&](int rank) -> std::string {
              const terrace::member me = team.join(rank);
              const std::vector<int> mine = {10 * rank, 10 * rank + 1};
              std::vector<int> all(4), half(1);
              me.allgather(mine, all);
              if (all != std::vector<int>{0, 1, 10, 11}) return "allgather";
              std::vector<int> at_root(rank == 1 ? 4 : 0);
              me.gather(mine, at_root, 1);
              if (rank == 1 && at_root != all) return "gather";
              me.scatter(mine, half, 1);
              if (half[0] != 10 + rank) return "scatter";
              std::vector<int> turned(2);
              me.alltoall(mine, turned);
              if (turned != std::vector<int>{rank, 10 + rank}) return "alltoall";
              me.alltoall(turned);
              if (turned != mine) return "alltoall in place";
              me.reduce_scatter_block(mine, half, terrace::sum);
              if (half[0] != 10 + 2 * rank) return "reduce_scatter_block";
              std::vector<int> up(2, 7);
              me.scan(mine, up, terrace::sum);
              if (up[1] != (rank == 0 ? 1 : 12)) return "scan";
              up = {7, 7};
              me.exscan(mine, up, terrace::sum);
              if (up[1] != (rank == 0 ? 7 : 1)) return "exscan";
              if (me.scan(5, terrace::sum) != 5 * (rank + 1)) return "scan of a value";
              if (me.exscan(5, terrace::sum) != 5) return "exscan of a value";
              return "";
            }));
}

static_assert(!terrace::lasting_readable<std::vector<int>>);
static_assert(terrace::lasting_readable<const std::vector<int>&>);
static_assert(terrace::lasting_writable<std::span<int>>);

/// Starts or prepares every call; `made` completes what it is given before the buffers are looked
/// at.
template <class Made>
std::string each_call(const terrace::member& me, const Made& made) {
  const int rank = me.rank();
  const std::vector<int> mine = {10 * rank, 10 * rank + 1};
  std::vector<int> two(2), all(4), half(1), none;
  std::vector<int>& at_root = rank == 1 ? all : none;
  made([&](auto by) { return by.barrier(); });
  made([&](auto by) { return by.allreduce(mine, two, terrace::sum); });
  if (two != std::vector<int>{10, 12}) return "allreduce";
  made([&](auto by) { return by.allreduce(std::span(two), terrace::maximum); });
  if (two != std::vector<int>{10, 12}) return "allreduce in place";
  made([&](auto by) { return by.bcast(two, 0); });
  made([&](auto by) { return by.reduce(mine, two, terrace::maximum, 1); });
  if (two[1] != (rank == 1 ? 11 : 12)) return "reduce";
  made([&](auto by) { return by.reduce(two, terrace::minimum, 0); });
  if (two[1] != 11) return "reduce in place";
  made([&](auto by) { return by.allgather(mine, all); });
  if (all != std::vector<int>{0, 1, 10, 11}) return "allgather";
  all.assign(4, 0);
  made([&](auto by) { return by.gather(mine, at_root, 1); });
  if (rank == 1 && all != std::vector<int>{0, 1, 10, 11}) return "gather";
  made([&](auto by) { return by.scatter(mine, half, 1); });
  if (half[0] != 10 + rank) return "scatter";
  made([&](auto by) { return by.alltoall(mine, two); });
  if (two != std::vector<int>{rank, 10 + rank}) return "alltoall";
  made([&](auto by) { return by.alltoall(two); });
  if (two != mine) return "alltoall in place";
  made([&](auto by) { return by.reduce_scatter_block(mine, half, terrace::sum); });
  if (half[0] != 10 + 2 * rank) return "reduce_scatter_block";
  made([&](auto by) { return by.scan(mine, two, terrace::sum); });
  if (two[1] != (rank == 0 ? 1 : 12)) return "scan";
  two = {7, 7};
  made([&](auto by) { return by.exscan(mine, two, terrace::sum); });
  return two[1] == (rank == 0 ? 7 : 1) ? "" : "exscan";
}

/// A member whose calls are all started, or all prepared.
template <bool starts>
struct By {
  terrace::member me;

#define TERRACE_BY(name)                                               \
  template <class... Arguments>                                        \
  auto name(Arguments&&... arguments) const {                          \
    if constexpr (starts)                                              \
      return me.start_##name(std::forward<Arguments>(arguments)...);   \
    else                                                               \
      return me.prepare_##name(std::forward<Arguments>(arguments)...); \
  }
  TERRACE_BY(barrier)
  TERRACE_BY(bcast)
  TERRACE_BY(reduce)
  TERRACE_BY(allreduce)
  TERRACE_BY(allgather)
  TERRACE_BY(gather)
  TERRACE_BY(scatter)
  TERRACE_BY(alltoall)
  TERRACE_BY(reduce_scatter_block)
  TERRACE_BY(scan)
  TERRACE_BY(exscan)
#undef TERRACE_BY
};

TEST(Header, starts_calls_and_waits_for_them) {
  const terrace::team team(2);
  EXPECT_EQ("", on_each_rank(2, [&](int rank) -> std::string {
              const terrace::member me = team.join(rank);
              int calls = 0;
              return each_call(me, [&](const auto& call) {
                terrace::request pending = call(By<true>{me});
                EXPECT_TRUE(pending.is_pending());
                terrace::request moved = std::move(pending);
                EXPECT_FALSE(pending.is_pending());
                if (++calls % 3 == 0) moved.wait();
                while (calls % 3 == 1 && !moved.test()) continue;
              });  // a third of them is completed by the destructor
            }));
}

TEST(Header, prepares_calls_and_starts_them) {
  const terrace::team team(2);
  EXPECT_EQ("", on_each_rank(2, [&](int rank) -> std::string {
              const terrace::member me = team.join(rank);
              int calls = 0;
              return each_call(me, [&](const auto& call) {
                terrace::prepared_call prepared;
                prepared = call(By<false>{me});
                EXPECT_FALSE(prepared.is_active());
                prepared.start();
                EXPECT_TRUE(prepared.is_active());
                terrace::prepared_call moved = std::move(prepared);
                if (++calls % 3 == 0) moved.wait();
                while (calls % 3 == 1 && !moved.test()) continue;
                EXPECT_EQ(calls % 3 == 2, moved.is_active());
              });
            }));
}

TEST(Header, throws_what_went_wrong) {
  try {
    const terrace::team none(0);
    FAIL() << "a team of nobody was made";
  } catch (const terrace::error& error) {
    EXPECT_EQ(TERRACE_ERR_ARGUMENT, error.status());
    EXPECT_THAT(error.what(), testing::HasSubstr("a team of 0 ranks"));
  }
  const terrace::team team(1);
  EXPECT_THROW((void)team.join(1), terrace::error);
  const terrace::member me = team.join(0);
  std::vector<int> three(3), four(4);
  EXPECT_THROW(me.allreduce(three, four, terrace::sum), std::invalid_argument);
  EXPECT_THROW(me.allgather(three, four), std::invalid_argument);
  EXPECT_THROW((void)me.bcast(1, 5), terrace::error);
  EXPECT_THROW((void)me.start_allreduce(three, four, terrace::sum), std::invalid_argument);
  EXPECT_THROW((void)me.prepare_bcast(three, 5), terrace::error);
  terrace::request over = me.start_barrier();
  over.wait();
  EXPECT_THROW(over.wait(), terrace::error);
  EXPECT_THROW((void)over.test(), terrace::error);
  terrace::prepared_call barrier = me.prepare_barrier();
  EXPECT_THROW(barrier.wait(), terrace::error);
  barrier.start();
  EXPECT_THROW(barrier.start(), terrace::error);
}

TEST(Library, has_a_version) {
  EXPECT_THAT(terrace_version(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

// Programs that were compiled with 1.0 pass this to every later 1.x: new members take the place of
// reserved ones.
TEST(Header, lays_options_out_as_programs_of_1_0_do) {
  EXPECT_EQ(sizeof(terrace_team_options), 8 * sizeof(std::size_t));
  EXPECT_EQ(offsetof(terrace_team_options, scratch_bytes), 0u);
  EXPECT_EQ(offsetof(terrace_team_options, waiting), 8u);
  EXPECT_EQ(offsetof(terrace_team_options, is_flat), 12u);
  EXPECT_EQ(offsetof(terrace_team_options, checks_calls), 16u);
  EXPECT_EQ(offsetof(terrace_team_options, is_reproducible), 20u);
  EXPECT_EQ(offsetof(terrace_team_options, stall_seconds), 24u);
  EXPECT_EQ(offsetof(terrace_team_options, reserved), 32u);
}

/// What else it is made of must not meet the same names in a user's program.
TEST(Library, exports_nothing_but_its_functions) {
  std::ifstream maps("/proc/self/maps");  // the last word of a line is a file
  std::string file;
  while (maps >> file && file.find("/libterrace.so") == std::string::npos) continue;
  ASSERT_TRUE(maps);
  const std::string command = "nm -D --defined-only --format=posix " + file;
  FILE* names = popen(command.c_str(), "r");
  ASSERT_NE(nullptr, names);
  char line[1024];
  int functions = 0;
  while (std::fgets(line, sizeof line, names)) {
    EXPECT_EQ(0u, std::string(line).find("terrace_")) << line;
    ++functions;
  }
  if (pclose(names) != 0) GTEST_SKIP() << "nm is not here";
  EXPECT_GE(functions, 48);
}

}  // namespace
