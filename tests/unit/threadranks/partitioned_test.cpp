// SPDX-License-Identifier: BSD-3-Clause
// Goal: partitioned messages arrive whole, whichever side starts first, however both have divided
// them, and whatever threads declare their partitions ready.
#include <gtest/gtest.h>

#include <numeric>
#include <thread>
#include <vector>

#include "unit/threadranks/ranks.hpp"

namespace {

using terrace::testing_ranks::run_ranks;
using terrace::testing_ranks::run_ranks_without_mpi;

constexpr int kTotal = 64;

struct Division {
  int sent, received;
};

class PartitionedMessages : public testing::TestWithParam<Division> {};

TEST_P(PartitionedMessages, arrive_in_every_round) {
  const auto [sent, received] = GetParam();
  run_ranks(2, [&](int rank) {
    std::vector<int> buffer(kTotal);
    MPI_Request request;
    if (rank == 0)
      MPI_Psend_init(buffer.data(), sent, kTotal / sent, MPI_INT, 1, 7, MPI_COMM_WORLD,
                     MPI_INFO_NULL, &request);
    else
      MPI_Precv_init(buffer.data(), received, kTotal / received, MPI_INT, 0, 7, MPI_COMM_WORLD,
                     MPI_INFO_NULL, &request);
    for (int round = 1; round <= 5; ++round) {
      // Now the one starts first, now the other.
      if ((round + rank) % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      if (rank == 0) std::iota(buffer.begin(), buffer.end(), 1000 * round);
      MPI_Start(&request);
      if (rank == 0)
        for (int i = sent; i-- > 0;) MPI_Pready(i, request);
      if (rank == 1) {
        int flag = 0;
        for (int i = 0; i < received; ++i, flag = 0) {
          while (!flag) MPI_Parrived(request, i, &flag);
          const int first = i * (kTotal / received);
          EXPECT_EQ(buffer[static_cast<std::size_t>(first)], 1000 * round + first);
        }
      }
      MPI_Status status;
      MPI_Wait(&request, &status);
      if (rank == 0) continue;
      EXPECT_EQ(status.MPI_SOURCE, 0);
      EXPECT_EQ(status.MPI_TAG, 7);
      int count = 0;
      MPI_Get_count(&status, MPI_INT, &count);
      EXPECT_EQ(count, kTotal);
      for (int i = 0; i < kTotal; ++i)
        ASSERT_EQ(buffer[static_cast<std::size_t>(i)], 1000 * round + i);
    }
    MPI_Request_free(&request);
  });
}

INSTANTIATE_TEST_SUITE_P(Divisions, PartitionedMessages,
                         testing::Values(Division{1, 1}, Division{8, 8}, Division{64, 64},
                                         Division{1, 16}, Division{16, 32}, Division{64, 2}),
                         [](const auto& division) {
                           return std::to_string(division.param.sent) + "_as_" +
                                  std::to_string(division.param.received);
                         });

TEST(PartitionedMessage, may_have_other_types_and_boundaries_on_both_sides) {
  run_ranks(2, [](int rank) {
    // 12 numbers in 4 partitions of three, with gaps; 6 elements of two numbers in 3 partitions.
    MPI_Datatype spread, pair;
    MPI_Type_create_resized(MPI_INT, 0, 8, &spread);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&spread);
    MPI_Type_commit(&pair);
    std::vector<int> buffer(24, -1);
    MPI_Request request;
    if (rank == 0)
      MPI_Psend_init(buffer.data(), 4, 3, spread, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
      MPI_Precv_init(buffer.data(), 3, 2, pair, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Type_free(&spread);
    MPI_Type_free(&pair);
    for (int round = 0; round < 3; ++round) {
      if (rank == 0)
        for (int i = 0; i < 12; ++i) buffer[static_cast<std::size_t>(2 * i)] = 100 * round + i;
      MPI_Start(&request);
      if (rank == 0) MPI_Pready_range(0, 3, request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      for (int i = 0; rank == 1 && i < 12; ++i)
        ASSERT_EQ(buffer[static_cast<std::size_t>(i)], 100 * round + i);
    }
    MPI_Request_free(&request);
  });
}

TEST(PartitionedMessage, is_sent_by_threads) {
  constexpr int kThreads = 4, kEach = 10000;
  run_ranks_without_mpi(2, [](int rank) {
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, nullptr);
    std::vector<double> buffer(kThreads * kEach);
    MPI_Request request;
    if (rank == 0)
      MPI_Psend_init(buffer.data(), kThreads, kEach, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD,
                     MPI_INFO_NULL, &request);
    else
      MPI_Precv_init(buffer.data(), kThreads, kEach, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD,
                     MPI_INFO_NULL, &request);
    for (int round = 0; round < 50; ++round) {
      MPI_Start(&request);
      terrace::testing_ranks::run_threads(kThreads, [&](int thread) {
        double* const part = buffer.data() + thread * kEach;
        if (rank == 0) {
          for (int i = 0; i < kEach; ++i) part[i] = round + thread * kEach + i;
          MPI_Pready(thread, request);
          return;
        }
        for (int flag = 0; !flag;) MPI_Parrived(request, thread, &flag);
        for (int i = 0; i < kEach; ++i) ASSERT_EQ(part[i], round + thread * kEach + i);
      });
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    MPI_Finalize();
  });
}

TEST(PartitionedMessage, to_itself_or_nowhere_is_complete_too) {
  run_ranks(1, [](int) {
    int out[4] = {1, 2, 3, 4}, in[4] = {};
    MPI_Request requests[4];
    MPI_Psend_init(out, 2, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, 4, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Psend_init(out, 2, 2, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &requests[2]);
    MPI_Precv_init(in, 2, 2, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &requests[3]);
    MPI_Startall(4, requests);
    const int both[] = {1, 0};
    MPI_Pready_list(2, both, requests[0]);
    MPI_Pready_range(0, 1, requests[2]);
    MPI_Status statuses[4];
    MPI_Waitall(4, requests, statuses);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(in[i], i + 1);
    EXPECT_EQ(statuses[3].MPI_SOURCE, MPI_PROC_NULL);
    for (MPI_Request& request : requests) MPI_Request_free(&request);
  });
}

TEST(PartitionedMessage, that_is_freed_before_it_is_started_leaves_the_next_one_alone) {
  run_ranks(2, [](int rank) {
    int buffer[2] = {rank, rank};
    MPI_Request first, second;
    const auto make = [&](MPI_Request& request) {
      if (rank == 0)
        MPI_Psend_init(buffer, 2, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
      else
        MPI_Precv_init(buffer, 2, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    };
    // In two rounds, the receiver is freed before its sender is there, and after it.
    for (const bool is_early : {true, false}) {
      if (is_early == (rank == 0)) MPI_Barrier(MPI_COMM_WORLD);
      make(first);
      MPI_Request_free(&first);
      if (is_early != (rank == 0)) MPI_Barrier(MPI_COMM_WORLD);
      make(second);
      if (rank == 0) buffer[0] = buffer[1] = 41 + is_early;
      MPI_Start(&second);
      if (rank == 0) MPI_Pready_range(0, 1, second);
      MPI_Wait(&second, MPI_STATUS_IGNORE);
      EXPECT_EQ(buffer[0] + buffer[1], 2 * (41 + is_early));
      MPI_Request_free(&second);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  });
}

TEST(PartitionedMessage, that_is_too_long_is_told) {
  run_ranks(2, [](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int buffer[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    MPI_Request request;
    if (rank == 0)
      MPI_Psend_init(buffer, 4, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
      MPI_Precv_init(buffer, 2, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    if (rank == 0) MPI_Pready_range(0, 3, request);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
    MPI_Request_free(&request);
  });
}

TEST(PartitionedMessage, tells_errors) {
  run_ranks(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int buffer[4] = {};
    MPI_Request send, receive, other;
    EXPECT_EQ(MPI_Psend_init(buffer, -1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &other),
              MPI_ERR_ARG);
    EXPECT_EQ(MPI_Precv_init(buffer, 1, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
                             MPI_INFO_NULL, &other),
              MPI_ERR_RANK);
    MPI_Psend_init(buffer, 2, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &send);
    MPI_Precv_init(buffer + 2, 2, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &receive);
    MPI_Recv_init(buffer, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &other);
    int flag = 0;
    EXPECT_EQ(MPI_Pready(0, send), MPI_ERR_REQUEST);  // not started
    EXPECT_EQ(MPI_Parrived(receive, 0, &flag), MPI_SUCCESS);
    EXPECT_TRUE(flag);
    MPI_Start(&send);
    MPI_Start(&receive);
    EXPECT_EQ(MPI_Pready(0, receive), MPI_ERR_REQUEST);
    EXPECT_EQ(MPI_Pready(0, other), MPI_ERR_REQUEST);
    EXPECT_EQ(MPI_Pready(2, send), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Pready_range(1, 0, send), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Parrived(receive, 2, &flag), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Parrived(send, 0, &flag), MPI_ERR_REQUEST);
    EXPECT_EQ(MPI_Pready(0, send), MPI_SUCCESS);
    EXPECT_EQ(MPI_Pready(0, send), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Pready(1, send), MPI_SUCCESS);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    for (MPI_Request* request : {&send, &receive, &other}) MPI_Request_free(request);
  });
}

}  // namespace
