// SPDX-License-Identifier: BSD-3-Clause
// Beginning and end of ranks.
#include <gtest/gtest.h>

#include "unit/threadranks/ranks.hpp"

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
  terrace_ranks_settings settings{sizeof settings, 1, terrace::testing_ranks::end_test};
  EXPECT_DEATH(
      {
        terrace_ranks_begin(&settings);
        terrace_ranks_enter(0);
        MPI_Init(nullptr, nullptr);
        terrace_ranks_leave(0, 3);
      },
      "with code 3: rank 0 has ended with code 3 and without MPI_Finalize");
}

// Goal: a missing function names itself. Windows will come last.
TEST(ThreadRanks, missing_functions_name_themselves) {
  terrace_ranks_settings settings{sizeof settings, 1, terrace::testing_ranks::end_test};
  EXPECT_DEATH(
      {
        terrace_ranks_begin(&settings);
        terrace_ranks_enter(0);
        MPI_Init(nullptr, nullptr);
        MPI_Open_port(MPI_INFO_NULL, nullptr);
      },
      "MPI_Open_port: thread ranks do not have this function yet");
}
