// SPDX-License-Identifier: BSD-3-Clause
// Goal: every call of the C library gives the right elements. Method: real threads, whole numbers
// that are exact in any order, each element compared with one computed alone.
#include <gtest/gtest.h>

#include <array>

#include "unit/api/threads.hpp"

using namespace terrace::testing_api;

namespace {

constexpr int kMostRanks = 5;

/// All operators of a type, all roots, in place and not, on a count that fits a line and one not.
template <class T>
std::string all_operators(const Team& team, int rank) {
  const int operators = std::is_integral_v<T> ? TERRACE_BITWISE_XOR : TERRACE_MAXIMUM;
  std::uint64_t seed = 0;
  for (int op = TERRACE_SUM; op <= operators; ++op)
    for (const std::size_t count : {0, 1, 5, 77, 1500})
      for (const bool in_place : {false, true}) {
        const auto how = static_cast<terrace_operator>(op);
        std::string wrong = allreduce<T>(team, rank, how, count, in_place, ++seed);
        for (int root = 0; root < team.ranks && wrong.empty(); ++root)
          wrong = reduce<T>(team, rank, how, count, root, in_place, ++seed);
        if (!wrong.empty()) return wrong + " (count " + std::to_string(count) + ")";
      }
  return "";
}

template <class T>
class CallsOfType : public testing::Test {};

using Types = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                             std::uint16_t, std::uint32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(CallsOfType, Types);

TYPED_TEST(CallsOfType, combine_by_every_operator_to_every_root) {
  for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
    const Team team(ranks);
    EXPECT_EQ("", team.each([&](int rank) { return all_operators<TypeParam>(team, rank); }))
        << ranks << " ranks";
  }
}

TYPED_TEST(CallsOfType, broadcast_from_every_root) {
  for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
    const Team team(ranks);
    EXPECT_EQ("", team.each([&](int rank) {
      std::string wrong;
      for (const std::size_t count : {0, 1, 7, 1000})
        for (int root = 0; root < ranks && wrong.empty(); ++root)
          wrong = bcast<TypeParam>(team, rank, count, root, count + 1);
      return wrong;
    })) << ranks
        << " ranks";
  }
}

TYPED_TEST(CallsOfType, move_and_combine_blocks) {
  for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
    const Team team(ranks);
    EXPECT_EQ("", team.each([&](int rank) {
      std::string wrong;
      std::uint64_t seed = 0;
      for (const Kind kind : kKinds)
        for (const std::size_t count : {0u, 1u, 5u, 77u, 1500u})
          for (const bool in_place : {false, true})
            for (int root = 0; root < ranks && wrong.empty(); ++root)
              wrong = block_call<TypeParam>(team, rank, kind, count, root, in_place, ++seed);
      return wrong;
    })) << ranks
        << " ranks";
  }
}

/// Goal: where one way of doing a call ends and another begins, nothing is lost. The bounds: a
/// line's payload, the sizes at which `choose` turns to another plan, strips, several strips.
template <class T>
std::string sizes_around(const Team& team, int rank, std::size_t bytes) {
  std::uint64_t seed = bytes;
  for (const int difference : {-1, 0, 1}) {
    const std::size_t count = bytes / sizeof(T) + static_cast<std::size_t>(difference);
    const int root = static_cast<int>(bytes) % team.ranks;
    std::string wrong = allreduce<T>(team, rank, TERRACE_SUM, count, difference == 0, ++seed);
    if (wrong.empty()) wrong = reduce<T>(team, rank, TERRACE_SUM, count, root, false, ++seed);
    if (wrong.empty()) wrong = bcast<T>(team, rank, count, root, ++seed);
    for (const Kind kind : kKinds)
      if (wrong.empty() && bytes < 300'000)
        wrong = block_call<T>(team, rank, kind, count, root, difference == 0, ++seed);
    if (!wrong.empty()) return wrong + " (count " + std::to_string(count) + ")";
  }
  return "";
}

#ifdef TERRACE_IS_EMULATED
constexpr std::array kTeams = {2, 3};  // each element is computed alone, of five ranks for long
#else
constexpr std::array kTeams = {2, 3, 5};
#endif

TEST(Calls, are_right_around_every_boundary) {
  for (const int ranks : kTeams) {
    const Team team(ranks);
    EXPECT_EQ("", team.each([&](int rank) {
      std::string wrong;
      for (const std::size_t bytes :
           {48u, 64u, 128u, 2048u, 4096u, 8192u, 65536u, 262144u, 1048576u, 2097152u}) {
        if (wrong.empty()) wrong = sizes_around<double>(team, rank, bytes);
        if (wrong.empty() && bytes < 300'000) wrong = sizes_around<std::int16_t>(team, rank, bytes);
      }
      return wrong;
    })) << ranks
        << " ranks";
  }
}

TEST(Calls, cut_long_vectors_into_strips_where_scratch_is_small) {
  terrace_team_options options = {};
  options.scratch_bytes = 1;
  const Team team(3, options);
  EXPECT_EQ("", team.each([&](int rank) {
    std::string wrong;
    for (const std::size_t count : {1u, 100u, 5000u, 200'000u}) {
      if (wrong.empty()) wrong = allreduce<double>(team, rank, TERRACE_SUM, count, true, count);
      if (wrong.empty()) wrong = reduce<double>(team, rank, TERRACE_SUM, count, 2, false, count);
      if (wrong.empty()) wrong = bcast<double>(team, rank, count, 1, count);
      for (const Kind kind : kKinds)
        for (const bool in_place : {false, true})
          if (wrong.empty())
            wrong = block_call<double>(team, rank, kind, count, 1, in_place, count);
    }
    return wrong;
  }));
}

/// More ranks than lines, so that blocks that fit lines have to go another way.
TEST(Calls, move_blocks_among_more_ranks_than_there_are_lines) {
  const Team team(20);
  EXPECT_EQ("", team.each([&](int rank) {
    std::string wrong;
    for (const Kind kind : kKinds)
      for (const std::size_t count : {1u, 700u})
        if (wrong.empty()) wrong = block_call<double>(team, rank, kind, count, 3, false, count);
    return wrong;
  }));
}

TEST(Calls, take_the_same_address_twice_for_in_place) {
  const Team team(2);
  EXPECT_EQ("", team.each([&](int rank) -> std::string {
    std::int32_t value = rank + 1;
    if (terrace_allreduce(&value, &value, 1, TERRACE_INT32, TERRACE_SUM, team.team, rank))
      return failure("allreduce", rank);
    return value == 3 ? "" : "wrong sum";
  }));
}

TEST(Calls, accept_null_buffers_where_there_is_nothing_to_do) {
  const Team team(3);
  EXPECT_EQ("", team.each([&](int rank) -> std::string {
    if (terrace_allreduce(nullptr, nullptr, 0, TERRACE_FLOAT, TERRACE_SUM, team.team, rank) ||
        terrace_bcast(nullptr, 0, TERRACE_FLOAT, 2, team.team, rank) ||
        terrace_reduce(nullptr, nullptr, 0, TERRACE_FLOAT, TERRACE_SUM, 1, team.team, rank))
      return failure("a call without elements", rank);
    float mine = 1, sum = 0;  // the others' outputs may be null
    if (terrace_reduce(&mine, rank == 1 ? &sum : nullptr, 1, TERRACE_FLOAT, TERRACE_SUM, 1,
                       team.team, rank))
      return failure("reduce", rank);
    return rank != 1 || sum == 3 ? "" : "wrong sum";
  }));
}

/// Goal: calls of all kinds, sizes and roots in a row do not disturb each other, while ranks run
/// far ahead of others. Method: one random script for all ranks.
TEST(Calls, of_all_kinds_follow_each_other) {
  for (const int ranks : {2, 4}) {
    const Team team(ranks);
    EXPECT_EQ("", team.each([&](int rank) {
      std::string wrong;
      for (std::uint64_t call = 1; call <= 3000 && wrong.empty(); ++call) {
        const auto drawn = [&](std::uint64_t what, std::uint64_t below) {
          return static_cast<std::size_t>(element<std::uint32_t>(call * 8 + what, 0, 0) * 97 +
                                          call * (what + 7)) %
                 below;
        };
        const std::size_t count = drawn(0, 4) == 0 ? drawn(1, 3000) : drawn(1, 9);
        const int root = static_cast<int>(drawn(2, static_cast<std::uint64_t>(ranks)));
        switch (drawn(3, 6)) {
          case 4:
          case 5:
            wrong =
                block_call<double>(team, rank, kKinds[drawn(4, 7)], count, root, call % 2, call);
            break;
          case 0:
            wrong = allreduce<double>(team, rank, TERRACE_SUM, count, call % 2, call);
            break;
          case 1:
            wrong = reduce<double>(team, rank, TERRACE_SUM, count, root, call % 2, call);
            break;
          case 2:
            wrong = bcast<double>(team, rank, count, root, call);
            break;
          default:
            if (terrace_barrier(team.team, rank)) wrong = failure("barrier", rank);
        }
      }
      return wrong;
    })) << ranks
        << " ranks";
  }
}

}  // namespace
