// SPDX-License-Identifier: BSD-3-Clause
// Windows: their attributes, what is in them, and calls of several ranks at once.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "unit/threadranks/ranks.hpp"

using terrace::testing_ranks::class_of;
using terrace::testing_ranks::run_ranks;
using terrace::testing_ranks::test_processes;

namespace {

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
TEST(Windows, keep_the_attributes_that_programs_point_to) {
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

// Goal: places that are beyond all addresses, or before the first, are not mistaken for places in
// the window.
TEST(Windows, have_no_elements_beyond_all_addresses) {
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
    MPI_Aint start;
    MPI_Get_address(cells, &start);
    const int lengths[] = {1, 1};
    const MPI_Aint places[] = {0, -start - 8};
    MPI_Datatype apart;
    MPI_Type_create_hindexed(2, lengths, places, MPI_LONG, &apart);
    MPI_Type_commit(&apart);
    const long two[] = {1, 1};
    EXPECT_EQ(class_of(MPI_Put(two, 2, MPI_LONG, rank, 0, 1, apart, win)), MPI_ERR_RMA_RANGE);
    MPI_Type_free(&apart);
    EXPECT_EQ(cells[0], 7);
    MPI_Win_unlock(rank, win);
    EXPECT_EQ(class_of(MPI_Win_delete_attr(win, 12345)), MPI_ERR_KEYVAL);
    MPI_Win_free(&win);
  });
}

// Goal: what a rank writes under a lock, or before it completes, the next one reads.
TEST(Windows, order_what_ranks_write_and_read) {
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
      MPI_Win_flush(0, win);
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
TEST(Windows, may_be_freed_before_their_requests) {
  run_ranks(2, [](int rank) {
    long* cell = nullptr;
    MPI_Win win;
    MPI_Win_allocate(sizeof(long), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &win);
    const long mine = 10 + rank;
    long back = 0;
    MPI_Request requests[2];
    MPI_Win_lock_all(0, win);
    MPI_Rput(&mine, 1, MPI_LONG, 1 - rank, 0, 1, MPI_LONG, win, &requests[0]);
    MPI_Win_flush(1 - rank, win);
    MPI_Rget(&back, 1, MPI_LONG, 1 - rank, 0, 1, MPI_LONG, win, &requests[1]);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(back, mine);
  });
}

// Goal: a handler of windows is for windows alone.
TEST(Windows, have_error_handlers_of_their_own) {
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

// Goal: calls that travel in pieces, or in one long piece beside the others, bring every element,
// whatever the layouts, and their requests are over when their memory may be used.
TEST(Windows, move_long_messages_of_any_layout) {
  constexpr int kCount = 20'000;
  run_ranks(3, [](int rank) {
    std::vector<long> cells(3 * kCount, -1), given(2 * kCount), got(2 * kCount, -1);
    for (int i = 0; i < 2 * kCount; ++i) given[static_cast<std::size_t>(i)] = i + 100 * rank;
    MPI_Win win;
    MPI_Win_create(cells.data(), static_cast<MPI_Aint>(cells.size() * sizeof(long)), sizeof(long),
                   MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Datatype second;
    MPI_Type_vector(kCount, 1, 2, MPI_LONG, &second);
    MPI_Type_commit(&second);
    const int next = (rank + 1) % 3, last = (rank + 2) % 3;
    MPI_Win_lock_all(0, win);
    MPI_Request requests[2];
    MPI_Rput(given.data(), kCount, MPI_LONG, next, 0, kCount, MPI_LONG, win, &requests[0]);
    MPI_Put(given.data(), 1, second, next, kCount, 1, second, win);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    given[0] = -7;  // its memory may be used again
    MPI_Win_flush(next, win);
    given[0] = 100 * rank;
    MPI_Rget(got.data(), kCount, MPI_LONG, next, 0, kCount, MPI_LONG, win, &requests[0]);
    MPI_Rget(got.data() + kCount, kCount, MPI_LONG, next, kCount, 1, second, win, &requests[1]);
    MPI_Type_free(&second);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    int wrong = 0;
    for (int i = 0; i < kCount; ++i) {
      wrong += got[static_cast<std::size_t>(i)] != given[static_cast<std::size_t>(i)];
      wrong += got[static_cast<std::size_t>(kCount + i)] != given[static_cast<std::size_t>(2 * i)];
    }
    EXPECT_EQ(wrong, 0);
    MPI_Accumulate(given.data(), kCount, MPI_LONG, next, 0, kCount, MPI_LONG, MPI_SUM, win);
    MPI_Win_unlock_all(win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < kCount; ++i) {
      wrong += cells[static_cast<std::size_t>(i)] != 2 * (i + 100 * last);
      wrong += cells[static_cast<std::size_t>(kCount + 2 * i)] != 2 * i + 100 * last;
    }
    EXPECT_EQ(wrong, 0);
    MPI_Win_free(&win);
  });
}

// Goal: a value and its index, which lie apart, are combined as one.
TEST(Windows, combine_pairs) {
  struct Pair {
    double value;
    int index;
  };
  constexpr std::size_t kCount = 1000;
  run_ranks(4, [](int rank) {
    std::vector<Pair> cells(kCount, Pair{-1, -1}), given(kCount);
    for (std::size_t i = 0; i < kCount; ++i)
      given[i] = {static_cast<double>((i + static_cast<std::size_t>(rank)) % 4), rank};
    MPI_Win win;
    MPI_Win_create(cells.data(), kCount * sizeof(Pair), sizeof(Pair), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &win);
    MPI_Win_fence(0, win);
    for (int target = 0; target < 4; ++target)
      MPI_Accumulate(given.data(), kCount, MPI_DOUBLE_INT, target, 0, kCount, MPI_DOUBLE_INT,
                     MPI_MAXLOC, win);
    MPI_Win_fence(0, win);
    for (std::size_t i = 0; i < kCount; ++i) {
      EXPECT_EQ(cells[i].value, 3);
      EXPECT_EQ(cells[i].index, static_cast<int>((7 - i % 4) % 4));
    }
    MPI_Win_free(&win);
  });
}

// Goal: as many calls as a program likes need no epoch to end before they are done.
TEST(Windows, take_many_calls_in_an_epoch) {
  static constexpr long kCalls = 5000;
  run_ranks(3, [](int rank) {
    long* cells = nullptr;
    MPI_Win win;
    MPI_Win_allocate(3 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &cells, &win);
    for (int i = 0; i < 3; ++i) cells[i] = 0;
    MPI_Win_fence(0, win);
    const long one = 1;
    for (long i = 0; i < kCalls; ++i)
      for (int target = 0; target < 3; ++target)
        MPI_Accumulate(&one, 1, MPI_LONG, target, rank, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(cells[i], kCalls);
    MPI_Win_free(&win);
  });
}

// Goal: a target that computes and makes no call holds up nobody. Method: it looks at what the test
// shares, not at the window's memory, until the origin is done, or for a minute in vain.
TEST(Windows, need_no_calls_of_their_targets) {
  std::atomic<bool> is_done{false};
  run_ranks(2, [&](int rank) {
    long* cell = nullptr;
    MPI_Win win;
    MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &win);
    *cell = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      for (const long value : {1L, 2L}) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        MPI_Accumulate(&value, 1, MPI_LONG, 1, 0, 1, MPI_LONG, MPI_REPLACE, win);
        MPI_Win_unlock(1, win);
      }
      is_done = true;
    } else {
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
      while (!is_done && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
      EXPECT_TRUE(is_done) << "the origin waits for a call of its target";
    }
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(*cell, rank == 1 ? 2 : 0);
    MPI_Win_free(&win);
  });
}

// Goal: memory that a target has not attached is never touched; the epoch's end says so, of calls
// that bring bytes and of calls that get them, also where the last address is within the elements.
TEST(Windows, have_no_elements_that_are_not_attached) {
  run_ranks(2, [](int rank) {
    long cells[2] = {7, 7};
    const long value = 1;
    long got = 5;
    MPI_Win win;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_attach(win, cells, sizeof(long));
    MPI_Aint places[2], mine;
    MPI_Get_address(cells, &mine);
    MPI_Allgather(&mine, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD);
    const int other = 1 - rank;
    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
    const MPI_Aint behind = places[other] + static_cast<MPI_Aint>(sizeof(long));
    const std::pair<bool, MPI_Aint> calls[] = {
        {true, behind}, {false, behind}, {true, -1}, {false, -1}};
    for (const auto& [puts, nowhere] : calls) {
      int error = puts ? MPI_Put(&value, 1, MPI_LONG, other, nowhere, 1, MPI_LONG, win)
                       : MPI_Get(&got, 1, MPI_LONG, other, nowhere, 1, MPI_LONG, win);
      long right = 0;  // an answer that says nothing of the call before
      EXPECT_EQ(MPI_Get(&right, 1, MPI_LONG, other, places[other], 1, MPI_LONG, win), MPI_SUCCESS);
      const int end = MPI_Win_flush(other, win);
      EXPECT_EQ(class_of(error != MPI_SUCCESS ? error : end), MPI_ERR_RMA_RANGE);
      EXPECT_EQ(MPI_Put(&value, 1, MPI_LONG, other, places[other], 1, MPI_LONG, win), MPI_SUCCESS);
      EXPECT_EQ(MPI_Win_flush(other, win), MPI_SUCCESS);
    }
    MPI_Win_unlock(other, win);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(cells[0], 1);
    EXPECT_EQ(cells[1], 7);
    EXPECT_EQ(got, 5);
    MPI_Win_detach(win, cells);
    MPI_Win_free(&win);
  });
}

// Goal: accumulates, even those that only copy elements, take types that are made of one predefined
// type, the same on all sides; empty blocks do not count.
TEST(Windows, accumulate_elements_of_one_type) {
  run_ranks(2, [](int rank) {
    struct Mixed {
      double real;
      long integer;
    };
    Mixed cell{1, 1}, given{2, 2}, got{3, 3};
    MPI_Win win;
    MPI_Win_create(&cell, sizeof cell, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    const int lengths[] = {1, 1};
    const MPI_Aint places[] = {0, 8};
    const MPI_Datatype two[] = {MPI_DOUBLE, MPI_LONG};
    MPI_Datatype mixed, empty, pair;
    MPI_Type_create_struct(2, lengths, places, two, &mixed);
    MPI_Type_contiguous(0, MPI_DOUBLE, &empty);
    const MPI_Datatype one_of_them[] = {empty, MPI_LONG};
    MPI_Type_create_struct(2, lengths, places, one_of_them, &pair);
    for (MPI_Datatype* const type : {&mixed, &empty, &pair}) MPI_Type_commit(type);
    MPI_Win_lock_all(0, win);
    for (const int target : {0, 1}) {
      for (MPI_Op op : {MPI_REPLACE, MPI_SUM})
        EXPECT_EQ(class_of(MPI_Accumulate(&given, 1, mixed, target, 0, 1, mixed, op, win)),
                  MPI_ERR_TYPE);
      EXPECT_EQ(
          class_of(MPI_Accumulate(&given, 1, mixed, target, 0, 2, MPI_LONG, MPI_REPLACE, win)),
          MPI_ERR_TYPE);
      for (MPI_Op op : {MPI_NO_OP, MPI_REPLACE}) {
        EXPECT_EQ(class_of(MPI_Get_accumulate(&given, 1, MPI_LONG, &got, 1, mixed, target, 0, 2,
                                              MPI_LONG, op, win)),
                  MPI_ERR_TYPE);
        EXPECT_EQ(class_of(MPI_Get_accumulate(&given, 2, MPI_INT, &got, 2, MPI_INT, target, 0, 1,
                                              MPI_LONG, op, win)),
                  MPI_ERR_TYPE);
      }
    }
    EXPECT_EQ(got.integer, 3);
    EXPECT_EQ(MPI_Accumulate(&given, 1, pair, 1 - rank, 0, 1, pair, MPI_SUM, win), MPI_SUCCESS);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(cell.real, 1);
    EXPECT_EQ(cell.integer, 3);
    for (MPI_Datatype* const type : {&mixed, &empty, &pair}) MPI_Type_free(type);
    MPI_Win_free(&win);
  });
}

// Goal: an accumulate that neither changes nor fetches anything does nothing, wherever its target
// is; MPI has MPI_NO_OP for calls that fetch, and other MPIs let it pass here, too.
TEST(Windows, are_left_alone_by_accumulates_without_an_operation) {
  run_ranks(3, [](int rank) {
    long cell = 7;
    const long given = 1;
    MPI_Win win;
    MPI_Win_create(&cell, sizeof cell, sizeof cell, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    for (int target = 0; target < 3; ++target) {
      EXPECT_EQ(MPI_Accumulate(&given, 1, MPI_LONG, target, 0, 1, MPI_LONG, MPI_NO_OP, win),
                MPI_SUCCESS);
      MPI_Request request;
      EXPECT_EQ(
          MPI_Raccumulate(&given, 1, MPI_LONG, target, 0, 1, MPI_LONG, MPI_NO_OP, win, &request),
          MPI_SUCCESS);
      EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(cell, 7) << rank;
    MPI_Win_free(&win);
  });
}

// Goal: while a rank accumulates many elements, others get the lock in between. Method: another
// rank reads the first and the last element in one call until the first one has changed; in some
// round, the last one has not yet.
TEST(Windows, are_not_held_up_by_long_accumulates) {
  if (terrace::testing_ranks::test_workers() == 1) GTEST_SKIP() << "ranks run one after another";
  constexpr int kCount = 1 << 22, kRounds = 100;
  static std::atomic<bool> was_between;  // of all ranks
  was_between = false;
  run_ranks(2, [](int rank) {
    std::vector<long> cells(rank == 0 ? kCount : 0), given(cells.size(), 1);
    MPI_Win win;
    MPI_Win_create(cells.data(), static_cast<MPI_Aint>(cells.size() * sizeof(long)), sizeof(long),
                   MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Datatype ends;
    MPI_Type_vector(2, 1, kCount - 1, MPI_LONG, &ends);
    MPI_Type_commit(&ends);
    for (long round = 1; round <= kRounds; ++round) {
      MPI_Barrier(MPI_COMM_WORLD);
      if (was_between) break;
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
      if (rank == 0)
        MPI_Accumulate(given.data(), kCount, MPI_LONG, 0, 0, kCount, MPI_LONG, MPI_SUM, win);
      for (long seen[2] = {0, 0}; rank == 1 && seen[0] < round;) {
        MPI_Get_accumulate(nullptr, 0, MPI_LONG, seen, 2, MPI_LONG, 0, 0, 1, ends, MPI_NO_OP, win);
        MPI_Win_flush(0, win);
        if (seen[0] > seen[1]) was_between = true;
      }
      MPI_Win_unlock(0, win);
    }
    EXPECT_TRUE(was_between);
    MPI_Type_free(&ends);
    MPI_Win_free(&win);
  });
}

// Goal: a window that is freed has what was put into it before, though no fence has ended that
// epoch.
TEST(Windows, are_freed_when_all_calls_are_done) {
  run_ranks(3, [](int rank) {
    for (int round = 0; round < 20; ++round) {
      std::vector<long> cells(5000, -1), given(5000, round + rank);
      MPI_Win win;
      MPI_Win_create(cells.data(), static_cast<MPI_Aint>(cells.size() * sizeof(long)), sizeof(long),
                     MPI_INFO_NULL, MPI_COMM_WORLD, &win);
      MPI_Win_fence(0, win);
      const int next = (rank + 1) % 3, count = round % 2 == 0 ? 5000 : 5;
      MPI_Put(given.data(), count, MPI_LONG, next, 0, count, MPI_LONG, win);
      MPI_Win_free(&win);
      EXPECT_EQ(cells[static_cast<std::size_t>(count - 1)], round + (rank + 2) % 3);
    }
  });
}

// Goal: an exclusive lock keeps out shared ones of all processes, and those that lock all.
TEST(Windows, are_locked_by_one_process_at_a_time) {
  run_ranks(4, [](int rank) {
    constexpr int kRounds = 50;
    long* cells = nullptr;
    MPI_Win win;
    MPI_Win_allocate(2 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &cells, &win);
    cells[0] = cells[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (long round = 1; round <= kRounds; ++round) {
      const int target = static_cast<int>(round) % 4;
      if (rank == 0) {  // makes both unequal for a while
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
        for (int cell = 0; cell < 2; ++cell) {
          MPI_Put(&round, 1, MPI_LONG, target, cell, 1, MPI_LONG, win);
          MPI_Win_flush(target, win);
        }
        MPI_Win_unlock(target, win);
        continue;
      }
      long seen[2] = {-1, -2};
      if (rank == 1)
        MPI_Win_lock_all(0, win);
      else
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
      for (int cell = 0; cell < 2; ++cell) {
        MPI_Get(&seen[cell], 1, MPI_LONG, target, cell, 1, MPI_LONG, win);
        MPI_Win_flush(target, win);
      }
      EXPECT_EQ(seen[0], seen[1]);
      if (rank == 1)
        MPI_Win_unlock_all(win);
      else
        MPI_Win_unlock(target, win);
    }
    MPI_Win_free(&win);
  });
}

// Goal: members in several processes are told that they can share no memory.
TEST(WindowsOfSeveralProcesses, share_no_memory) {
  if (test_processes() < 2) GTEST_SKIP() << "ranks are in one process";
  run_ranks(4, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    void* memory = nullptr;
    MPI_Win win;
    EXPECT_EQ(class_of(MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win)),
              MPI_ERR_RMA_SHARED);
  });
}

}  // namespace
