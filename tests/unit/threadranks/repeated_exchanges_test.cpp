// SPDX-License-Identifier: BSD-3-Clause
// Goal: exchanges of blocks that are like the last one of their kind, which take a short cut, and
// those that differ in one argument, which must not.
#include <gtest/gtest.h>

#include "mpi/repeated_exchanges.h"
#include "unit/threadranks/ranks.hpp"

using terrace::testing_ranks::class_of;
using terrace::testing_ranks::run_ranks;

TEST(RepeatedExchanges, bring_the_blocks_of_each_call) {
  for (const int ranks : {1, 2, 3})
    run_ranks(ranks, [](int) { EXPECT_EQ(wrong_in_repeated_exchanges(400), 0); });
}

TEST(RepeatedExchanges, are_checked_where_an_argument_differs) {
  run_ranks(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const long given[3] = {1, 2, 3};
    long wanted[3] = {};
    const auto gather = [&](int out_count, MPI_Datatype out_type, int in_count,
                            MPI_Datatype in_type) {
      return class_of(
          MPI_Allgather(given, out_count, out_type, wanted, in_count, in_type, MPI_COMM_WORLD));
    };
    for (int i = 0; i < 10; ++i) EXPECT_EQ(gather(3, MPI_LONG, 3, MPI_LONG), MPI_SUCCESS);
    EXPECT_EQ(gather(3, MPI_LONG, 2, MPI_LONG), MPI_ERR_TRUNCATE);
    EXPECT_EQ(gather(3, MPI_LONG, 3, MPI_INT), MPI_ERR_TRUNCATE);
    EXPECT_EQ(gather(3, MPI_LONG, -1, MPI_LONG), MPI_ERR_COUNT);
    EXPECT_EQ(gather(3, MPI_DATATYPE_NULL, 3, MPI_LONG), MPI_ERR_TYPE);
    EXPECT_EQ(gather(3, MPI_LONG, 3, MPI_LONG), MPI_SUCCESS);
    EXPECT_EQ(wanted[2], 3);
  });
}
