// SPDX-License-Identifier: BSD-3-Clause
// Beginning and end of ranks.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>

#include "unit/threadranks/ranks.hpp"

using terrace::testing_ranks::begin_job;
using terrace::testing_ranks::run_ranks;

// Goal: each thread that enters is a rank of its own; threads outside are none.
TEST(ThreadRanks, know_who_they_are) {
  std::atomic<int> sum{0};
  run_ranks(5, [&](int expected) {
    int rank = -1, size = 0, flag = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Initialized(&flag);
    EXPECT_EQ(rank, expected);
    EXPECT_EQ(size, 5);
    EXPECT_TRUE(flag);
    EXPECT_EQ(terrace_ranks_current(), expected);
    sum += rank;
  });
  EXPECT_EQ(sum, 0 + 1 + 2 + 3 + 4);
  EXPECT_EQ(terrace_ranks_current(), -1);
}

// Goal: a rank that ends between MPI_Init and MPI_Finalize ends the job, with a sentence.
TEST(ThreadRanks, that_leave_without_finalize_end_the_job) {
  EXPECT_DEATH(
      {
        begin_job(1);
        terrace_ranks_enter(0);
        MPI_Init(nullptr, nullptr);
        terrace_ranks_leave(0, 3);
      },
      "with code 3: rank 0 has ended with code 3 and without MPI_Finalize");
}

// Goal: a rank that ends without MPI_Init, while others have called it or call it later, ends the
// job.
TEST(ThreadRanks, that_never_begin_end_the_job) {
  EXPECT_DEATH(
      {
        begin_job(2);
        terrace_ranks_enter(1);
        terrace_ranks_leave(1, 0);
        terrace_ranks_enter(0);
        MPI_Init(nullptr, nullptr);
      },
      "rank 1 ended the job with code 1: rank 1 has ended with code 0 and without MPI_Init");
  EXPECT_DEATH(
      {
        begin_job(2);
        terrace_ranks_enter(0);
        MPI_Init(nullptr, nullptr);
        terrace_ranks_enter(1);
        terrace_ranks_leave(1, 4);
      },
      "with code 4: rank 1 has ended with code 4 and without MPI_Init");
}

namespace {

/// Returns what rank 0 of two says while it waits in `waits`, until rank 1, which has called
/// `begins` before, has read that and calls `relieves`.
std::string said_by_one_who_waits(const std::function<void()>& waits,
                                  const std::function<void()>& begins,
                                  const std::function<void()>& relieves) {
  int ends[2];
  if (pipe(ends) != 0) return "";
  const int kept = dup(STDERR_FILENO);
  dup2(ends[1], STDERR_FILENO);
  setenv("TERRACE_STALL_SECONDS", "1", 1);
  std::string said;
  run_ranks(2, [&](int rank) {
    if (rank == 0) return waits();
    begins();
    for (char letter = 0; letter != '\n' && read(ends[0], &letter, 1) == 1;) said += letter;
    relieves();
  });
  unsetenv("TERRACE_STALL_SECONDS");
  dup2(kept, STDERR_FILENO);
  for (const int file : {kept, ends[0], ends[1]}) close(file);
  return said;
}

}  // namespace

// Goal: a rank that waits in vain says so, as soon as the variable tells it to.
TEST(ThreadRanks, that_wait_long_say_so) {
  const std::string said = said_by_one_who_waits(
      [] { MPI_Recv(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }, [] {},
      [] { MPI_Send(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD); });
  const bool has_node = terrace::testing_ranks::test_processes() > 1;
  EXPECT_EQ(
      said.rfind(
          has_node ? "terrace: rank 0 on node n0 has waited 1" : "terrace: rank 0 has waited 1", 0),
      0u)
      << said;
  EXPECT_NE(said.find(" s in MPI_Recv\n"), std::string::npos) << said;
}

// Goal: one that waits in a blocking collective, while others have begun a nonblocking one instead,
// says that; elsewhere it would be a riddle.
TEST(ThreadRanks, that_wait_beside_nonblocking_collectives_say_so) {
  if (terrace::testing_ranks::test_processes() > 1) GTEST_SKIP() << "known within a process only";
  MPI_Request request;
  const std::string said = said_by_one_who_waits(
      [] {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Request own;
        MPI_Ibarrier(MPI_COMM_WORLD, &own);
        MPI_Wait(&own, MPI_STATUS_IGNORE);
      },
      [&] { MPI_Ibarrier(MPI_COMM_WORLD, &request); },
      [&] {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      });
  EXPECT_NE(said.find(" s in MPI_Barrier, and has not begun the nonblocking collective of "
                      "MPI_COMM_WORLD that others have\n"),
            std::string::npos)
      << said;
}

// Goal: a missing function names itself, and says what to do instead.
TEST(ThreadRanks, missing_functions_name_themselves) {
  const auto call = [](void (*function)()) {
    begin_job(1);
    terrace_ranks_enter(0);
    MPI_Init(nullptr, nullptr);
    function();
  };
  EXPECT_DEATH(call([] { MPI_Open_port(MPI_INFO_NULL, nullptr); }),
               "MPI_Open_port: thread ranks of jobs .* cannot be connected; .* terrace exec");
  EXPECT_DEATH(call([] {
                 MPI_Comm_spawn("a", nullptr, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, nullptr, nullptr);
               }),
               "MPI_Comm_spawn: thread ranks cannot start more ranks; .*terrace run -n N");
  EXPECT_DEATH(call([] { MPI_Abi_set_fortran_info(MPI_INFO_NULL); }),
               "MPI_Abi_set_fortran_info: thread ranks do not have this function yet");
}
