// SPDX-License-Identifier: BSD-3-Clause
// Goal: wrong arguments get their code and a sentence that names who and what, nothing takes place,
// and the team goes on; ranks that make different calls are told so where that was asked for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "unit/api/threads.hpp"

using namespace terrace::testing_api;
using testing::HasSubstr;

namespace {

/// A status with its sentence, taken together.
void expect_error(terrace_status status, terrace_status expected, const char* in_sentence) {
  EXPECT_STREQ(terrace_error_string(expected), terrace_error_string(status));
  EXPECT_THAT(terrace_last_error(), HasSubstr(in_sentence));
}

constexpr terrace_type kNoType = static_cast<terrace_type>(10);
constexpr terrace_operator kNoOperator = static_cast<terrace_operator>(10);

/// A team of one: no call with it can hang.
class Arguments : public testing::Test {
 protected:
  terrace_status allreduce(const void* input, void* output, std::size_t count,
                           terrace_type type = TERRACE_DOUBLE, terrace_operator op = TERRACE_SUM) {
    return terrace_allreduce(input, output, count, type, op, alone.team, 0);
  }
  void TearDown() override {  // whatever went wrong before, the team works
    double sum = 7;
    ASSERT_EQ(TERRACE_OK, allreduce(TERRACE_IN_PLACE, &sum, 1));
    ASSERT_EQ(7, sum);
  }
  Team alone{1};
  double values[4] = {1, 2, 3, 4};
  double others[4] = {};
};

TEST_F(Arguments, without_a_team_are_refused) {
  expect_error(terrace_barrier(nullptr, 0), TERRACE_ERR_ARGUMENT, "the team is null");
  expect_error(terrace_bcast(values, 1, TERRACE_DOUBLE, 0, nullptr, 0), TERRACE_ERR_ARGUMENT,
               "the team is null");
  expect_error(terrace_allreduce(values, others, 1, TERRACE_DOUBLE, TERRACE_SUM, nullptr, 0),
               TERRACE_ERR_ARGUMENT, "the team is null");
  expect_error(terrace_reduce(values, others, 1, TERRACE_DOUBLE, TERRACE_SUM, 0, nullptr, 0),
               TERRACE_ERR_ARGUMENT, "the team is null");
  expect_error(terrace_team_join(nullptr, 0), TERRACE_ERR_ARGUMENT, "the team is null");
  EXPECT_EQ(TERRACE_OK, terrace_team_destroy(nullptr));
  EXPECT_EQ(0, terrace_team_ranks(nullptr));
  EXPECT_STREQ("", terrace_team_hierarchy(nullptr));
  terrace_team* part = nullptr;
  int rank = 0;
  EXPECT_EQ(TERRACE_ERR_ARGUMENT, terrace_team_split(nullptr, 0, &part, &rank));
  EXPECT_EQ(-1, rank);
  EXPECT_EQ(TERRACE_ERR_ARGUMENT, terrace_team_split(nullptr, 0, nullptr, &rank));
}

TEST_F(Arguments, with_a_rank_outside_the_team_are_refused) {
  for (const int rank : {-1, 1, 1'000'000}) {
    const std::string name = "rank " + std::to_string(rank) + " is not in the team";
    expect_error(terrace_barrier(alone.team, rank), TERRACE_ERR_ARGUMENT, name.c_str());
    expect_error(terrace_team_join(alone.team, rank), TERRACE_ERR_ARGUMENT, name.c_str());
    EXPECT_STREQ("", terrace_last_plan(alone.team, rank));
  }
}

TEST_F(Arguments, with_a_root_outside_the_team_are_refused) {
  for (const int root : {-1, 1})
    for (const auto status :
         {terrace_bcast(values, 1, TERRACE_DOUBLE, root, alone.team, 0),
          terrace_reduce(values, others, 1, TERRACE_DOUBLE, TERRACE_SUM, root, alone.team, 0)})
      expect_error(status, TERRACE_ERR_ARGUMENT,
                   ("root " + std::to_string(root) + " is not").c_str());
}

TEST_F(Arguments, of_unknown_types_and_operators_are_refused) {
  expect_error(allreduce(values, others, 1, kNoType), TERRACE_ERR_ARGUMENT, "10 is no type");
  expect_error(terrace_bcast(values, 1, kNoType, 0, alone.team, 0), TERRACE_ERR_ARGUMENT,
               "10 is no type");
  expect_error(allreduce(values, others, 1, TERRACE_DOUBLE, kNoOperator), TERRACE_ERR_ARGUMENT,
               "10 is no operator");
  expect_error(allreduce(values, others, 1, static_cast<terrace_type>(15)), TERRACE_ERR_ARGUMENT,
               "15 is no type");
  EXPECT_EQ(0u, terrace_type_bytes(kNoType));
  EXPECT_EQ(8u, terrace_type_bytes(TERRACE_DOUBLE));
}

TEST_F(Arguments, that_no_kernel_can_combine_are_unsupported) {
  for (int op = TERRACE_LOGICAL_AND; op <= TERRACE_BITWISE_XOR; ++op)
    for (const auto type : {TERRACE_FLOAT32, TERRACE_FLOAT64})
      expect_error(allreduce(values, others, 1, type, static_cast<terrace_operator>(op)),
                   TERRACE_ERR_UNSUPPORTED, "of float");
}

TEST_F(Arguments, with_null_buffers_are_refused) {
  expect_error(allreduce(nullptr, others, 3), TERRACE_ERR_ARGUMENT, "the input of rank 0 is null");
  expect_error(allreduce(values, nullptr, 3), TERRACE_ERR_ARGUMENT, "the output of rank 0 is null");
  expect_error(allreduce(TERRACE_IN_PLACE, nullptr, 3), TERRACE_ERR_ARGUMENT, "the output of rank");
  expect_error(terrace_bcast(nullptr, 3, TERRACE_DOUBLE, 0, alone.team, 0), TERRACE_ERR_ARGUMENT,
               "the buffer of rank 0 is null: expected room for 3 elements");
  expect_error(terrace_reduce(values, nullptr, 3, TERRACE_DOUBLE, TERRACE_SUM, 0, alone.team, 0),
               TERRACE_ERR_ARGUMENT, "the output of rank 0 is null");
  expect_error(
      terrace_reduce(TERRACE_IN_PLACE, nullptr, 3, TERRACE_DOUBLE, TERRACE_SUM, 0, alone.team, 0),
      TERRACE_ERR_ARGUMENT, "of rank 0 is null");
}

TEST_F(Arguments, in_place_where_a_result_goes_are_refused) {
  void* const in_place = const_cast<void*>(TERRACE_IN_PLACE);
  const char* const sentence = "TERRACE_IN_PLACE belongs in input";
  expect_error(allreduce(values, in_place, 3), TERRACE_ERR_ARGUMENT, sentence);
  expect_error(allreduce(TERRACE_IN_PLACE, in_place, 3), TERRACE_ERR_ARGUMENT, sentence);
  expect_error(terrace_bcast(in_place, 3, TERRACE_DOUBLE, 0, alone.team, 0), TERRACE_ERR_ARGUMENT,
               sentence);
  expect_error(terrace_reduce(values, in_place, 3, TERRACE_DOUBLE, TERRACE_SUM, 0, alone.team, 0),
               TERRACE_ERR_ARGUMENT, sentence);
}

TEST_F(Arguments, that_overlap_in_part_are_refused) {
  expect_error(allreduce(values, values + 1, 3), TERRACE_ERR_ARGUMENT, "overlap");
  expect_error(allreduce(values + 1, values, 3), TERRACE_ERR_ARGUMENT, "overlap");
  expect_error(terrace_reduce(values, values + 1, 3, TERRACE_DOUBLE, TERRACE_SUM, 0, alone.team, 0),
               TERRACE_ERR_ARGUMENT, "overlap");
  EXPECT_EQ(TERRACE_OK, allreduce(values, values + 2, 2));
}

TEST_F(Arguments, of_negative_count_are_refused) {
  expect_error(allreduce(values, others, static_cast<std::size_t>(-1)), TERRACE_ERR_ARGUMENT,
               "do not fit an address space");
  expect_error(terrace_bcast(values, SIZE_MAX / 8, TERRACE_DOUBLE, 0, alone.team, 0),
               TERRACE_ERR_ARGUMENT, "do not fit an address space");
}

TEST_F(Arguments, of_calls_with_blocks_are_checked) {
  terrace_team* team = alone.team;
  const auto sum = TERRACE_SUM;
  const auto real = TERRACE_DOUBLE;
  for (const auto status : {terrace_allgather(values, others, 1, real, nullptr, 0),
                            terrace_gather(values, others, 1, real, 0, nullptr, 0),
                            terrace_scatter(values, others, 1, real, 0, nullptr, 0),
                            terrace_alltoall(values, others, 1, real, nullptr, 0),
                            terrace_reduce_scatter_block(values, others, 1, real, sum, nullptr, 0),
                            terrace_scan(values, others, 1, real, sum, nullptr, 0),
                            terrace_exscan(values, others, 1, real, sum, nullptr, 0)})
    expect_error(status, TERRACE_ERR_ARGUMENT, "the team is null");
  for (const auto status : {terrace_gather(values, others, 1, real, 1, team, 0),
                            terrace_scatter(values, others, 1, real, 1, team, 0)})
    expect_error(status, TERRACE_ERR_ARGUMENT, "root 1 is not");
  for (const auto status : {terrace_allgather(values, others, 1, kNoType, team, 0),
                            terrace_gather(values, others, 1, kNoType, 0, team, 0),
                            terrace_scatter(values, others, 1, kNoType, 0, team, 0),
                            terrace_alltoall(values, others, 1, kNoType, team, 0),
                            terrace_reduce_scatter_block(values, others, 1, kNoType, sum, team, 0),
                            terrace_scan(values, others, 1, kNoType, sum, team, 0),
                            terrace_exscan(values, others, 1, kNoType, sum, team, 0)})
    expect_error(status, TERRACE_ERR_ARGUMENT, "10 is no type");
  for (const auto status :
       {terrace_reduce_scatter_block(values, others, 1, real, kNoOperator, team, 0),
        terrace_scan(values, others, 1, real, kNoOperator, team, 0),
        terrace_exscan(values, others, 1, real, kNoOperator, team, 0)})
    expect_error(status, TERRACE_ERR_ARGUMENT, "10 is no operator");
  expect_error(terrace_alltoall(values, others, SIZE_MAX / 8, real, team, 0), TERRACE_ERR_ARGUMENT,
               "do not fit an address space");
}

TEST_F(Arguments, of_calls_with_blocks_are_buffers_that_are_there_and_apart) {
  terrace_team* team = alone.team;
  const auto sum = TERRACE_SUM;
  const auto real = TERRACE_DOUBLE;
  for (const auto status : {terrace_allgather(nullptr, others, 2, real, team, 0),
                            terrace_gather(nullptr, others, 2, real, 0, team, 0),
                            terrace_scatter(nullptr, others, 2, real, 0, team, 0),
                            terrace_alltoall(nullptr, others, 2, real, team, 0),
                            terrace_reduce_scatter_block(nullptr, others, 2, real, sum, team, 0),
                            terrace_scan(nullptr, others, 2, real, sum, team, 0),
                            terrace_exscan(nullptr, others, 2, real, sum, team, 0)})
    expect_error(status, TERRACE_ERR_ARGUMENT, "is null: expected room for 2 elements");
  for (const auto status : {terrace_allgather(values, nullptr, 2, real, team, 0),
                            terrace_gather(values, nullptr, 2, real, 0, team, 0),
                            terrace_scatter(values, nullptr, 2, real, 0, team, 0),
                            terrace_alltoall(values, nullptr, 2, real, team, 0),
                            terrace_reduce_scatter_block(values, nullptr, 2, real, sum, team, 0),
                            terrace_scan(values, nullptr, 2, real, sum, team, 0),
                            terrace_exscan(TERRACE_IN_PLACE, nullptr, 2, real, sum, team, 0)})
    expect_error(status, TERRACE_ERR_ARGUMENT, "the output of rank 0 is null");
  for (const auto status : {terrace_allgather(values, values + 1, 2, real, team, 0),
                            terrace_gather(values + 1, values, 2, real, 0, team, 0),
                            terrace_scatter(values, values + 1, 2, real, 0, team, 0),
                            terrace_alltoall(values, values + 1, 2, real, team, 0),
                            terrace_reduce_scatter_block(values + 1, values, 2, real, sum, team, 0),
                            terrace_scan(values, values + 1, 2, real, sum, team, 0)})
    expect_error(status, TERRACE_ERR_ARGUMENT, "overlap");
  void* const in_place = const_cast<void*>(TERRACE_IN_PLACE);
  for (const auto status : {terrace_allgather(values, in_place, 2, real, team, 0),
                            terrace_gather(values, in_place, 2, real, 0, team, 0),
                            terrace_alltoall(values, in_place, 2, real, team, 0),
                            terrace_reduce_scatter_block(values, in_place, 2, real, sum, team, 0),
                            terrace_scan(values, in_place, 2, real, sum, team, 0)})
    expect_error(status, TERRACE_ERR_ARGUMENT, "TERRACE_IN_PLACE belongs in input");
  expect_error(terrace_scatter(TERRACE_IN_PLACE, others, 2, real, 0, team, 0), TERRACE_ERR_ARGUMENT,
               "in a scatter it belongs in output");
  EXPECT_EQ(TERRACE_OK, terrace_allgather(values, values, 2, real, team, 0));
  EXPECT_EQ(TERRACE_OK, terrace_exscan(values, nullptr, 2, real, sum, team, 0));
}

TEST(Errors, refuse_blocks_in_place_off_the_root) {
  const Team team(2);
  EXPECT_EQ("", team.each([&](int rank) -> std::string {
    double two[2] = {1, 2}, one = 0;
    if (rank == 1) {
      expect_error(terrace_gather(TERRACE_IN_PLACE, two, 1, TERRACE_DOUBLE, 0, team.team, rank),
                   TERRACE_ERR_ARGUMENT, "root 0 alone has an output");
      expect_error(terrace_scatter(two, const_cast<void*>(TERRACE_IN_PLACE), 1, TERRACE_DOUBLE, 0,
                                   team.team, rank),
                   TERRACE_ERR_ARGUMENT, "root 0 alone has an input");
    }
    return terrace_scatter(two, &one, 1, TERRACE_DOUBLE, 0, team.team, rank) || one != rank + 1
               ? failure("scatter", rank)
               : "";
  }));
}

TEST(Errors, leave_the_last_sentence_to_its_thread) {
  expect_error(terrace_barrier(nullptr, 0), TERRACE_ERR_ARGUMENT, "the team is null");
  std::thread([] { EXPECT_STREQ("", terrace_last_error()); }).join();
  const Team team(1);
  ASSERT_EQ(TERRACE_OK, terrace_barrier(team.team, 0));
  EXPECT_THAT(terrace_last_error(), HasSubstr("the team is null")) << "success leaves it alone";
}

TEST(Errors, have_names) {
  EXPECT_STREQ("TERRACE_OK", terrace_error_string(TERRACE_OK));
  EXPECT_STREQ("TERRACE_ERR_BROKEN", terrace_error_string(TERRACE_ERR_BROKEN));
  EXPECT_STREQ("no status of Terrace", terrace_error_string(static_cast<terrace_status>(7)));
}

/// Found without the option checks_calls, where the calls' lines meet.
TEST(Errors, name_both_calls_where_lines_of_different_calls_meet) {
  const Team team(2);
  team.each([&](int rank) -> std::string {
    double value = 1, sum = 0;
    terrace_barrier(team.team, rank);
    if (rank == 0) {
      // The root is through before rank 1 comes, or meets the line of rank 1, and is told as well.
      const terrace_status status = terrace_bcast(&value, 1, TERRACE_DOUBLE, 0, team.team, rank);
      if (status != TERRACE_OK)
        expect_error(status, TERRACE_ERR_BROKEN,
                     "rank 0 makes bcast of 8 bytes from rank 0 where rank 1 makes allreduce of 8 "
                     "bytes, sum of float64");
    } else {
      expect_error(terrace_allreduce(&value, &sum, 1, TERRACE_DOUBLE, TERRACE_SUM, team.team, rank),
                   TERRACE_ERR_BROKEN,
                   "rank 1 makes allreduce of 8 bytes, sum of float64 where rank 0 makes bcast of "
                   "8 bytes from rank 0");
    }
    return "";
  });
}

/// A call that is refused did not begin, so the rank can repeat it with better arguments.
TEST(Errors, on_one_rank_do_not_spoil_the_call_of_the_others) {
  const Team team(3);
  EXPECT_EQ("", team.each([&](int rank) -> std::string {
    std::int32_t sum = 0, one = 1;
    if (rank == 1 && terrace_allreduce(nullptr, &sum, 1, TERRACE_INT32, TERRACE_SUM, team.team,
                                       rank) != TERRACE_ERR_ARGUMENT)
      return "a null input went through";
    if (terrace_allreduce(&one, &sum, 1, TERRACE_INT32, TERRACE_SUM, team.team, rank))
      return failure("allreduce", rank);
    return sum == 3 ? "" : "wrong sum";
  }));
}

TEST(Errors, are_given_to_ranks_in_place_that_are_not_the_root) {
  const Team team(2);
  EXPECT_EQ("", team.each([&](int rank) -> std::string {
    double value = 1;
    if (rank == 1) {
      if (terrace_reduce(TERRACE_IN_PLACE, &value, 1, TERRACE_DOUBLE, TERRACE_SUM, 0, team.team,
                         rank) != TERRACE_ERR_ARGUMENT)
        return "in place went through at rank 1";
      EXPECT_THAT(terrace_last_error(), HasSubstr("root 0 alone has an output"));
    }
    const void* input = rank == 0 ? TERRACE_IN_PLACE : &value;
    return terrace_reduce(input, &value, 1, TERRACE_DOUBLE, TERRACE_SUM, 0, team.team, rank)
               ? failure("reduce", rank)
               : "";
  }));
}

/// Two threads take the same rank: one of them, whichever comes second, is told. It then makes up
/// for it as the rank that is missing.
TEST(Errors, tell_two_threads_that_they_use_one_rank) {
  const Team team(2);
  ASSERT_EQ("", team.each([&](int rank) -> std::string {
    return terrace_team_join(team.team, rank) ? failure("join", rank) : "";
  }));
  std::atomic<int> refused{0};
  const auto take_rank_0 = [&](int wait_ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
    if (terrace_barrier(team.team, 0) != TERRACE_ERR_ARGUMENT) return;
    EXPECT_THAT(terrace_last_error(), HasSubstr("rank 0 is in a call already"));
    EXPECT_EQ(TERRACE_ERR_ARGUMENT, terrace_team_destroy(team.team)) << "one is still in a call";
    ++refused;
    EXPECT_EQ(TERRACE_OK, terrace_barrier(team.team, 1));
  };
  std::thread first(take_rank_0, 0), second(take_rank_0, 100);
  first.join();
  second.join();
  EXPECT_EQ(1, refused);
}

struct Differing {
  const char* what;
  terrace_status (*make)(terrace_team* team, int rank, double* in, double* out);
  const char* sentence;
};

const Differing kDiffering[] = {
    {"collectives",
     [](terrace_team* team, int rank, double* in, double* out) {
       return rank == 1 ? terrace_barrier(team, rank)
                        : terrace_allreduce(in, out, 1, TERRACE_DOUBLE, TERRACE_SUM, team, rank);
     },
     "rank 0 calls allreduce of 1 float64 by sum, rank 1 calls barrier"},
    {"counts",
     [](terrace_team* team, int rank, double* in, double* out) {
       return terrace_allreduce(in, out, rank == 2 ? 2 : 1, TERRACE_DOUBLE, TERRACE_SUM, team,
                                rank);
     },
     "rank 2 calls allreduce of 2 float64"},
    {"operators",
     [](terrace_team* team, int rank, double* in, double* out) {
       return terrace_allreduce(in, out, 1, TERRACE_DOUBLE, rank ? TERRACE_SUM : TERRACE_MAXIMUM,
                                team, rank);
     },
     "rank 0 calls allreduce of 1 float64 by maximum, rank 1 calls allreduce of 1 float64 by sum"},
    {"types",
     [](terrace_team* team, int rank, double* in, double*) {
       return terrace_bcast(in, 1, rank ? TERRACE_INT64 : TERRACE_DOUBLE, 0, team, rank);
     },
     "rank 1 calls bcast of 1 int64 from rank 0"},
    {"roots",
     [](terrace_team* team, int rank, double* in, double* out) {
       return terrace_reduce(in, out, 1, TERRACE_DOUBLE, TERRACE_SUM, rank, team, rank);
     },
     "rank 1 calls reduce of 1 float64 by sum to rank 1"},
    {"roots of a gather",
     [](terrace_team* team, int rank, double* in, double* out) {
       double blocks[3] = {};
       (void)out;
       return terrace_gather(in, blocks, 1, TERRACE_DOUBLE, rank, team, rank);
     },
     "rank 1 calls gather of 1 float64 to rank 1"},
    {"directions of blocks",
     [](terrace_team* team, int rank, double* in, double* out) {
       double blocks[3] = {};
       (void)out;
       return rank == 0 ? terrace_allgather(in, blocks, 1, TERRACE_DOUBLE, team, rank)
                        : terrace_scatter(blocks, in, 1, TERRACE_DOUBLE, 2, team, rank);
     },
     "rank 0 calls allgather of 1 float64, rank 1 calls scatter of 1 float64 from rank 2"},
};

TEST(CheckedCalls, that_differ_are_refused_on_every_rank_and_the_team_goes_on) {
  terrace_team_options options = {};
  options.checks_calls = 1;
  const Team team(3, options);
  EXPECT_EQ("", team.each([&](int rank) -> std::string {
    for (const Differing& differing : kDiffering) {
      double in[2] = {1, 1}, out[2] = {-1, -1};
      if (differing.make(team.team, rank, in, out) != TERRACE_ERR_MISMATCH)
        return std::string("different ") + differing.what + " went through";
      if (std::string(terrace_last_error()).find(differing.sentence) == std::string::npos)
        return std::string(differing.what) + ": " + terrace_last_error();
      if (out[0] != -1) return std::string("different ") + differing.what + " wrote an output";
      const std::string wrong = allreduce<double>(team, rank, TERRACE_SUM, 3, false, 1);
      if (!wrong.empty()) return wrong;
    }
    return "";
  }));
}

TEST(CheckedCalls, that_are_the_same_go_through) {
  terrace_team_options options = {};
  options.checks_calls = 1;
  const Team team(4, options);
  EXPECT_EQ("", team.each([&](int rank) -> std::string {
    std::string wrong = allreduce<std::int32_t>(team, rank, TERRACE_MAXIMUM, 1000, rank % 2, 1);
    if (wrong.empty()) wrong = reduce<float>(team, rank, TERRACE_SUM, 10, 3, false, 2);
    if (wrong.empty()) wrong = bcast<std::int8_t>(team, rank, 10, 1, 2);
    return wrong;
  }));
}

}  // namespace
