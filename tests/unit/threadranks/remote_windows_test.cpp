// SPDX-License-Identifier: BSD-3-Clause
// Windows whose ranks are in several processes: which call raises the error of one that has failed.
#include <gtest/gtest.h>

#include <array>

#include "unit/threadranks/ranks.hpp"

using terrace::testing_ranks::class_of;
using terrace::testing_ranks::run_processes;
using terrace::testing_ranks::TestTransport;

namespace {

/// The same as `run_ranks`, of ranks in those processes.
void run_ranks_in(const std::vector<int>& sizes, const std::function<void(int rank)>& program) {
  run_processes(sizes, [&](int rank, TestTransport&) {
    MPI_Init(nullptr, nullptr);
    program(rank);
    MPI_Finalize();
  });
}

/// A dynamic window of three ranks in which each has attached the first of its two cells.
class HalfAttached {
 public:
  HalfAttached() {
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_attach(win, cells.data(), sizeof(long));
    MPI_Aint mine;
    MPI_Get_address(cells.data(), &mine);
    MPI_Allgather(&mine, 1, MPI_AINT, places_.data(), 1, MPI_AINT, MPI_COMM_WORLD);
  }
  MPI_Aint there(int rank) const { return places_[static_cast<std::size_t>(rank)]; }
  MPI_Aint nowhere(int rank) const { return there(rank) + static_cast<MPI_Aint>(sizeof(long)); }
  int put(int rank, MPI_Aint place) const {
    const long value = 1;
    return MPI_Put(&value, 1, MPI_LONG, rank, place, 1, MPI_LONG, win);
  }

  MPI_Win win = MPI_WIN_NULL;
  std::array<long, 2> cells{7, 7};

 private:
  std::array<MPI_Aint, 3> places_{};
};

// Goal: a call that has failed is an error of the next synchronization with its target, once, and
// of none with another target.
TEST(WindowsOfSeveralProcesses, tell_failures_at_their_targets) {
  for (const std::vector<int>& sizes : {std::vector<int>{1, 1, 1}, std::vector<int>{1, 2}})
    run_ranks_in(sizes, [](int rank) {
      HalfAttached window;
      if (rank == 0) {
        long got = 5;
        MPI_Win_lock_all(0, window.win);
        EXPECT_EQ(window.put(1, window.nowhere(1)), MPI_SUCCESS);
        EXPECT_EQ(window.put(2, window.there(2)), MPI_SUCCESS);
        EXPECT_EQ(MPI_Win_flush(2, window.win), MPI_SUCCESS);
        EXPECT_EQ(class_of(MPI_Win_flush(1, window.win)), MPI_ERR_RMA_RANGE);
        EXPECT_EQ(MPI_Win_flush(1, window.win), MPI_SUCCESS);
        for (const int target : {1, 2})
          EXPECT_EQ(
              MPI_Get(&got, 1, MPI_LONG, target, window.nowhere(target), 1, MPI_LONG, window.win),
              MPI_SUCCESS);
        EXPECT_EQ(class_of(MPI_Win_flush_local(2, window.win)), MPI_ERR_RMA_RANGE);
        EXPECT_EQ(class_of(MPI_Win_flush_all(window.win)), MPI_ERR_RMA_RANGE);
        EXPECT_EQ(MPI_Win_flush_all(window.win), MPI_SUCCESS);
        EXPECT_EQ(got, 5);
        EXPECT_EQ(window.put(2, window.nowhere(2)), MPI_SUCCESS);
        EXPECT_EQ(class_of(MPI_Win_unlock_all(window.win)), MPI_ERR_RMA_RANGE);
        for (const int target : {1, 2}) {
          MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window.win);
          EXPECT_EQ(window.put(target, target == 1 ? window.there(1) : window.nowhere(2)),
                    MPI_SUCCESS);
        }
        EXPECT_EQ(MPI_Win_unlock(1, window.win), MPI_SUCCESS);
        EXPECT_EQ(class_of(MPI_Win_unlock(2, window.win)), MPI_ERR_RMA_RANGE);
      }
      MPI_Win_fence(0, window.win);
      const auto put_nowhere = [&](int target) {
        return rank == 0 ? window.put(target, window.nowhere(target)) : MPI_SUCCESS;
      };
      EXPECT_EQ(put_nowhere(1), MPI_SUCCESS);
      EXPECT_EQ(class_of(MPI_Win_fence(0, window.win)),
                rank == 0 ? MPI_ERR_RMA_RANGE : MPI_SUCCESS);
      EXPECT_EQ(put_nowhere(2), MPI_SUCCESS);
      EXPECT_EQ(class_of(MPI_Win_free(&window.win)), rank == 0 ? MPI_ERR_RMA_RANGE : MPI_SUCCESS);
      EXPECT_EQ(window.win, MPI_WIN_NULL);
      EXPECT_EQ(window.cells[0], rank == 0 ? 7 : 1);
      EXPECT_EQ(window.cells[1], 7);
    });
}

/// Begins calls with requests for memory of rank 1: a put, a get and accumulates.
std::array<MPI_Request, 4> begin_at(const HalfAttached& window, MPI_Aint place, long* got) {
  static const long value = 1;
  std::array<MPI_Request, 4> requests{};
  MPI_Rput(&value, 1, MPI_LONG, 1, place, 1, MPI_LONG, window.win, &requests[0]);
  MPI_Rget(got, 1, MPI_LONG, 1, place, 1, MPI_LONG, window.win, &requests[1]);
  MPI_Raccumulate(&value, 1, MPI_LONG, 1, place, 1, MPI_LONG, MPI_SUM, window.win, &requests[2]);
  MPI_Rget_accumulate(&value, 1, MPI_LONG, got + 1, 1, MPI_LONG, 1, place, 1, MPI_LONG, MPI_SUM,
                      window.win, &requests[3]);
  return requests;
}

// Goal: if a call with a request has failed, the wait for that request or its test raises the
// error, even after its window has been freed, and no synchronization does.
TEST(WindowsOfSeveralProcesses, tell_failures_of_requests_by_the_requests) {
  run_ranks_in({1, 1, 1}, [](int rank) {
    HalfAttached window;
    std::array<long, 2> got{5, 5};
    std::array<MPI_Request, 4> late{};
    if (rank == 0) {
      MPI_Win_lock_all(0, window.win);
      for (MPI_Request& request : begin_at(window, window.nowhere(1), got.data()))
        EXPECT_EQ(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)), MPI_ERR_RMA_RANGE);
      EXPECT_EQ(MPI_Win_flush_all(window.win), MPI_SUCCESS);
      std::array<MPI_Request, 4> all = begin_at(window, window.nowhere(1), got.data());
      EXPECT_EQ(MPI_Win_flush(1, window.win), MPI_SUCCESS);
      int flag = 0;
      MPI_Request_get_status(all[1], &flag, MPI_STATUS_IGNORE);
      EXPECT_TRUE(flag);
      EXPECT_EQ(class_of(MPI_Test(&all[1], &flag, MPI_STATUS_IGNORE)), MPI_ERR_RMA_RANGE);
      MPI_Rget(got.data(), 1, MPI_LONG, 2, window.there(2), 1, MPI_LONG, window.win, &all[1]);
      std::array<MPI_Status, 4> ends;
      EXPECT_EQ(class_of(MPI_Waitall(4, all.data(), ends.data())), MPI_ERR_IN_STATUS);
      for (const std::size_t wrong : {0, 2, 3})
        EXPECT_EQ(class_of(ends[wrong].MPI_ERROR), MPI_ERR_RMA_RANGE);
      EXPECT_EQ(ends[1].MPI_ERROR, MPI_SUCCESS);
      EXPECT_EQ(got[0], 7);
      EXPECT_EQ(got[1], 5);
      late = begin_at(window, window.nowhere(1), got.data());
      EXPECT_EQ(MPI_Win_unlock_all(window.win), MPI_SUCCESS);
    }
    EXPECT_EQ(MPI_Win_free(&window.win), MPI_SUCCESS);
    EXPECT_EQ(window.cells[1], 7);
    if (rank != 0) return;
    for (MPI_Request& request : late)
      EXPECT_EQ(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)), MPI_ERR_RMA_RANGE);
  });
}

struct HandledError {
  MPI_Win win = MPI_WIN_NULL;
  int code = MPI_SUCCESS;
};
thread_local HandledError handled_error;
void note_handled(MPI_Win* win, int* code, ...) {
  handled_error = {*win, *code};
}

// Goal: the failure of a request goes to the error handler of its window, with that window, or with
// MPI_WIN_NULL if it has been freed.
TEST(WindowsOfSeveralProcesses, handle_errors_of_their_requests) {
  run_ranks_in({1, 1, 1}, [](int rank) {
    HalfAttached window;
    MPI_Errhandler ours;
    MPI_Win_create_errhandler(note_handled, &ours);
    MPI_Win_set_errhandler(window.win, ours);
    MPI_Errhandler_free(&ours);
    long got = 5;
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0) {
      MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window.win);
      MPI_Rget(&got, 1, MPI_LONG, 1, window.nowhere(1), 1, MPI_LONG, window.win, &request);
      EXPECT_EQ(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)), MPI_ERR_RMA_RANGE);
      EXPECT_EQ(class_of(handled_error.code), MPI_ERR_RMA_RANGE);
      EXPECT_EQ(handled_error.win, window.win);
      MPI_Rget(&got, 1, MPI_LONG, 1, window.nowhere(1), 1, MPI_LONG, window.win, &request);
      MPI_Win_unlock(1, window.win);
    }
    MPI_Win_free(&window.win);
    if (rank != 0) return;
    handled_error = {};
    EXPECT_EQ(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)), MPI_ERR_RMA_RANGE);
    EXPECT_EQ(class_of(handled_error.code), MPI_ERR_RMA_RANGE);
    EXPECT_EQ(handled_error.win, MPI_WIN_NULL);
  });
}

}  // namespace
