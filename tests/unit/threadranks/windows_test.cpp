// SPDX-License-Identifier: BSD-3-Clause
// Windows: their attributes, what is in them, and calls of several ranks at once.
#include <gtest/gtest.h>

#include "unit/threadranks/ranks.hpp"

using terrace::testing_ranks::class_of;
using terrace::testing_ranks::run_ranks;
using terrace::testing_ranks::test_processes;

namespace {

class Windows : public testing::Test {
 protected:
  void SetUp() override {
    if (test_processes() > 1) GTEST_SKIP() << "windows are of one process";
  }
};

void ignore_window(MPI_Win*, int*, ...) {}

template <class Number>
Number* attribute(MPI_Win win, int key) {
  Number* value = nullptr;
  int flag = 0;
  MPI_Win_get_attr(win, key, &value, &flag);
  EXPECT_TRUE(flag);
  return value;
}

// Goal: a pointer to an attribute's value keeps it, whichever attributes are asked for later.
TEST_F(Windows, keep_the_attributes_that_programs_point_to) {
  run_ranks(2, [](int) {
    int cells[8] = {};
    MPI_Win small, large;
    MPI_Win_create(cells, 16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &small);
    MPI_Win_create(cells, 32, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &large);
    const auto* const bytes = attribute<MPI_Aint>(small, MPI_WIN_SIZE);
    const auto* const unit = attribute<int>(small, MPI_WIN_DISP_UNIT);
    const auto* const flavor = attribute<int>(small, MPI_WIN_CREATE_FLAVOR);
    const auto* const model = attribute<int>(small, MPI_WIN_MODEL);
    EXPECT_EQ(*attribute<MPI_Aint>(large, MPI_WIN_SIZE), 32);
    EXPECT_EQ(*attribute<int>(large, MPI_WIN_DISP_UNIT), 8);
    EXPECT_EQ(*bytes, 16);
    EXPECT_EQ(*unit, 4);
    EXPECT_EQ(*flavor, MPI_WIN_FLAVOR_CREATE);
    EXPECT_EQ(*model, MPI_WIN_UNIFIED);
    MPI_Win_free(&small);
    MPI_Win_free(&large);
  });
}

// Goal: products that are beyond all addresses are not mistaken for places in the window.
TEST_F(Windows, have_no_elements_beyond_all_addresses) {
  run_ranks(2, [](int rank) {
    long cells[2] = {7, 7};
    const long value = 1;
    MPI_Win win;
    MPI_Win_create(cells, sizeof cells, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    const MPI_Aint far = MPI_Aint{1} << 61;
    EXPECT_EQ(class_of(MPI_Put(&value, 1, MPI_LONG, rank, far, 1, MPI_LONG, win)),
              MPI_ERR_RMA_RANGE);
    const MPI_Count many = (MPI_Count{1} << 61) + 1;
    EXPECT_EQ(class_of(MPI_Put_c(&value, many, MPI_LONG, rank, 0, many, MPI_LONG, win)),
              MPI_ERR_COUNT);
    EXPECT_EQ(cells[0], 7);
    MPI_Win_unlock(rank, win);
    EXPECT_EQ(class_of(MPI_Win_delete_attr(win, 12345)), MPI_ERR_KEYVAL);
    MPI_Win_free(&win);
  });
}

// Goal: what a rank writes under a lock, or before it completes, the next one reads.
TEST_F(Windows, order_what_ranks_write_and_read) {
  constexpr int kRanks = 4, kRounds = 100;
  run_ranks(kRanks, [](int rank) {
    long cells[3] = {};
    MPI_Win win;
    MPI_Win_create(cells, sizeof cells, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    const long one = 1;
    for (int i = 0; i < kRounds; ++i) {
      long old, seen;
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
      MPI_Get(&seen, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
      ++seen;
      MPI_Put(&seen, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
      MPI_Win_unlock(0, win);
      MPI_Win_lock_all(0, win);
      MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 1, MPI_SUM, win);
      MPI_Win_flush(0, win);
      MPI_Win_unlock_all(win);
    }
    MPI_Group all, to, from;
    MPI_Win_get_group(win, &all);
    const int next = (rank + 1) % kRanks, last = (rank + kRanks - 1) % kRanks;
    MPI_Group_incl(all, 1, &next, &to);
    MPI_Group_incl(all, 1, &last, &from);
    for (long i = 0; i < kRounds; ++i) {
      MPI_Win_post(from, 0, win);
      MPI_Win_start(to, 0, win);
      MPI_Put(&i, 1, MPI_LONG, next, 2, 1, MPI_LONG, win);
      MPI_Win_complete(win);
      MPI_Win_wait(win);
      EXPECT_EQ(cells[2], i);
    }
    for (MPI_Group* const group : {&all, &to, &from}) MPI_Group_free(group);
    MPI_Win_fence(0, win);
    if (rank == 0) {
      EXPECT_EQ(cells[0], kRanks * kRounds);
      EXPECT_EQ(cells[1], kRanks * kRounds);
    }
    MPI_Win_free(&win);
  });
}

// Goal: requests that are waited for after the epoch, and after the window has gone, are over.
TEST_F(Windows, may_be_freed_before_their_requests) {
  run_ranks(2, [](int rank) {
    long* cell = nullptr;
    MPI_Win win;
    MPI_Win_allocate(sizeof(long), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &win);
    const long mine = 10 + rank;
    long back = 0;
    MPI_Request requests[2];
    MPI_Win_lock_all(0, win);
    MPI_Rput(&mine, 1, MPI_LONG, 1 - rank, 0, 1, MPI_LONG, win, &requests[0]);
    MPI_Rget(&back, 1, MPI_LONG, 1 - rank, 0, 1, MPI_LONG, win, &requests[1]);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(back, mine);
  });
}

// Goal: a handler of windows is for windows alone.
TEST_F(Windows, have_error_handlers_of_their_own) {
  run_ranks(2, [](int) {
    MPI_Errhandler ours;
    MPI_Win_create_errhandler(ignore_window, &ours);
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    EXPECT_EQ(class_of(MPI_Session_set_errhandler(session, ours)), MPI_ERR_ARG);
    MPI_Session_finalize(&session);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    EXPECT_EQ(class_of(MPI_Comm_set_errhandler(comm, ours)), MPI_ERR_ARG);
    MPI_Comm_free(&comm);
    MPI_Errhandler_free(&ours);
  });
}

// Goal: members in several processes are told that their window cannot be.
TEST(WindowsOfSeveralProcesses, are_refused) {
  if (test_processes() < 2) GTEST_SKIP() << "ranks are in one process";
  run_ranks(4, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    void* memory = nullptr;
    MPI_Win win;
    EXPECT_EQ(class_of(MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win)),
              MPI_ERR_UNSUPPORTED_OPERATION);
    EXPECT_EQ(class_of(MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win)),
              MPI_ERR_RMA_SHARED);
  });
}

}  // namespace
