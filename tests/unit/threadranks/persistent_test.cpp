// SPDX-License-Identifier: BSD-3-Clause
// Requests that are started again and again, requests of the program's own, duplicates on their
// way.
#include <gtest/gtest.h>

#include "unit/threadranks/ranks.hpp"

using terrace::testing_ranks::run_ranks;

// Goal: each start makes the collective anew, of what lies there then, though the program has freed
// the type and the operator.
TEST(Persistent, collectives_are_made_at_each_start) {
  run_ranks(3, [](int rank) {
    MPI_Op op;
    MPI_Op_create(
        [](void* in, void* inout, int* count, MPI_Datatype*) {
          for (int i = 0; i < 2 * *count; ++i)
            static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
        },
        1, &op);
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    int mine[2] = {}, sum[2] = {};
    MPI_Request requests[2];
    MPI_Allreduce_init(mine, sum, 1, pair, op, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Type_free(&pair);
    MPI_Op_free(&op);
    for (int round = 1; round <= 3; ++round) {
      mine[0] = round;
      mine[1] = rank;
      MPI_Startall(2, requests);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      EXPECT_EQ(sum[0], 3 * round);
      EXPECT_EQ(sum[1], 3);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  });
}

// Goal: ranks may start requests of a communicator in different orders.
TEST(Persistent, collectives_are_started_in_any_order) {
  run_ranks(3, [](int rank) {
    int word = rank == 0 ? 42 : -1, sum = -1;
    MPI_Request requests[2];
    MPI_Bcast_init(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &requests[1]);
    for (int i = 0; i < 2; ++i) MPI_Start(&requests[rank == 1 ? 1 - i : i]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(word, 42);
    EXPECT_EQ(sum, 3);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  });
}

// Goal: what a collective on its way looks at stays there though its rank goes on, and others come
// late.
TEST(Persistent, nonblocking_reduce_scatter_waits_for_late_members) {
  run_ranks(3, [](int rank) {
    const int counts[] = {1, 2, 1}, ones[] = {1, 1, 1, 1};
    int part[2] = {-1, -1}, word = 0;
    MPI_Request request;
    if (rank == 2) MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Ireduce_scatter(ones, part, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    if (rank == 0) {
      std::vector<int> own(100);
      for (int i = 0; i < 3; ++i)
        MPI_Sendrecv(own.data(), 100, MPI_INT, 0, 1, own.data(), 100, MPI_INT, 0, 1, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
      MPI_Send(&word, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < counts[rank]; ++i) EXPECT_EQ(part[i], 3);
  });
}

// Goal: a message each way by one request, from a buffer to which another message also comes.
TEST(Persistent, exchanges_are_one_request) {
  run_ranks(3, [](int rank) {
    const int next = (rank + 1) % 3, before = (rank + 2) % 3;
    std::vector<int> numbers(5000, rank);
    int got = -1;
    MPI_Request requests[2];
    MPI_Isendrecv(&rank, 1, MPI_INT, next, 1, &got, 1, MPI_INT, before, 1, MPI_COMM_WORLD,
                  &requests[0]);
    MPI_Isendrecv_replace(numbers.data(), 5000, MPI_INT, next, 2, before, 2, MPI_COMM_WORLD,
                          &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(got, before);
    EXPECT_EQ(numbers, std::vector<int>(5000, before));
  });
}

// Goal: a duplicate is there when its request is over, with the attributes of the call's time.
TEST(Persistent, duplicates_are_made_on_the_way) {
  run_ranks(4, [](int rank) {
    int key = 0, flag = 0, first = 1, second = 2;
    int* found = nullptr;
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
    MPI_Comm parts[2];
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &parts[0]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &parts[1]);
    MPI_Comm_set_attr(parts[0], key, &first);
    // In another order on some ranks: the communicators have nothing to do with each other.
    MPI_Comm copies[2];
    MPI_Request requests[2];
    for (int i = 0; i < 2; ++i) {
      const int which = rank == 0 ? 1 - i : i;
      MPI_Comm_idup(parts[which], &copies[which], &requests[which]);
    }
    MPI_Comm_set_attr(parts[0], key, &second);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_get_attr(copies[0], key, &found, &flag);
    ASSERT_TRUE(flag);
    EXPECT_EQ(*found, 1);
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copies[1]);
    EXPECT_EQ(sum, rank % 2 ? 4 : 2);
    for (int i = 0; i < 2; ++i) {
      MPI_Comm_free(&parts[i]);
      MPI_Comm_free(&copies[i]);
    }
    MPI_Comm_free_keyval(&key);
  });
}

namespace {

struct Task {
  int queried = 0, freed = 0;
};

int query(void* task, MPI_Status* status) {
  ++static_cast<Task*>(task)->queried;
  MPI_Status_set_elements(status, MPI_INT, 7);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = 5;
  return MPI_SUCCESS;
}
int free_task(void* task) {
  ++static_cast<Task*>(task)->freed;
  return MPI_SUCCESS;
}
int cancel(void*, int) {
  return MPI_SUCCESS;
}

}  // namespace

// Goal: a request of the program's own is over when the program says so, and is waited for with
// others.
TEST(Persistent, programs_have_requests_of_their_own) {
  run_ranks(1, [](int) {
    Task task;
    MPI_Request request;
    MPI_Grequest_start(query, free_task, cancel, &task, &request);
    int flag = 1, count = 0;
    MPI_Status status;
    MPI_Test(&request, &flag, &status);
    EXPECT_EQ(flag, 0);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQ(count, 7);
    EXPECT_EQ(status.MPI_SOURCE, 5);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    EXPECT_EQ(task.queried, 1);
    EXPECT_EQ(task.freed, 1);
  });
}
