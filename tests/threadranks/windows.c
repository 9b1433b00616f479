// SPDX-License-Identifier: BSD-3-Clause
// One-sided communication: ranks put, get and accumulate at random, and each computes what has to
// come of all ranks' calls; also posts and starts, and errors. Each rank says "right", or what is
// wrong.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

enum { kCells = 64, kRounds = 40, kOps = 30 };

static unsigned next(unsigned* seed) {
  *seed = *seed * 1103515245u + 12345u;
  return *seed >> 16;
}

struct Call {
  int kind, target, at;
  const long* given;
  long* old;
};

static void make_call(struct Call call, int passive, MPI_Datatype pairs, MPI_Win win) {
  if (call.kind == 1)
    MPI_Accumulate(call.given, 2, MPI_LONG, call.target, call.at, 1, pairs, MPI_SUM, win);
  if (call.kind == 2)
    MPI_Fetch_and_op(call.given, call.old, MPI_LONG, call.target, call.at, MPI_SUM, win);
  if (call.kind != 0) return;
  MPI_Put(call.given, 2, MPI_LONG, call.target, call.at, 1, pairs, win);
  if (!passive) return;
  long back[2] = {-1, -1};
  MPI_Win_flush(call.target, win);
  MPI_Get(back, 2, MPI_LONG, call.target, call.at, 1, pairs, win);
  MPI_Win_flush(call.target, win);
  EXPECT(back[0] == call.given[0] && back[1] == call.given[1]);
}

// Sums into all cells commute, and puts go to a block of the origin's own: so the model may make
// them in any order.
static void random_calls(int passive) {
  long* cells = NULL;
  MPI_Win win;
  const int length = kCells * (ranks + 1);
  MPI_Win_allocate(length * (int)sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &cells,
                   &win);
  long* model = calloc((size_t)length, sizeof(long));
  memset(cells, 0, (size_t)length * sizeof(long));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Datatype pairs;
  MPI_Type_vector(2, 1, 2, MPI_LONG, &pairs);
  MPI_Type_commit(&pairs);
  for (int round = 0; round < kRounds; ++round) {
    if (!passive) MPI_Win_fence(0, win);
    for (int origin = 0; origin < ranks; ++origin) {
      unsigned seed = (unsigned)(round * 97 + origin + 1);
      for (int op = 0; op < kOps; ++op) {
        const int target = (int)(next(&seed) % (unsigned)ranks), kind = (int)(next(&seed) % 3);
        const int at = (int)(next(&seed) % (kCells - 3));
        const long value[2] = {(long)(next(&seed) % 1000), (long)(next(&seed) % 1000)};
        const int own = kCells * (origin + 1) + at;
        if (target == rank) {
          if (kind == 0) model[own] = value[0], model[own + 2] = value[1];
          if (kind == 1) model[at] += value[0], model[at + 2] += value[1];
          if (kind == 2) model[at] += value[0];
        }
        if (origin != rank) continue;
        const int how = op % 2 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED;
        if (passive) MPI_Win_lock(how, target, 0, win);
        static long old[kOps], given[kOps][2];  // until the epoch is over
        memcpy(given[op], value, sizeof value);
        make_call((struct Call){kind, target, kind == 0 ? own : at, given[op], &old[op]}, passive,
                  pairs, win);
        if (!passive) continue;
        MPI_Win_unlock(target, win);
        EXPECT(kind != 2 || old[op] >= 0);
      }
    }
    if (passive)
      MPI_Barrier(MPI_COMM_WORLD);
    else
      MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    EXPECT(memcmp(cells, model, (size_t)length * sizeof(long)) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Type_free(&pairs);
  free(model);
  MPI_Win_free(&win);
  EXPECT(win == MPI_WIN_NULL);
}

// A counter that all add to, which needs atomic calls, and one that a lock alone protects.
static void counters(void) {
  long cells[2] = {0, 0}, one = 1, old, seen;
  MPI_Win win;
  MPI_Win_create(cells, sizeof cells, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int i = 0; i < 1000; ++i) {
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 0, MPI_SUM, win);
    MPI_Win_unlock(0, win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&seen, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win);
    MPI_Win_flush(0, win);
    ++seen;
    MPI_Put(&seen, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win);
    MPI_Win_unlock(0, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) EXPECT(cells[0] == 1000L * ranks && cells[1] == 1000L * ranks);
  MPI_Win_free(&win);
}

static void posts(void) {
  int cell = -1;
  MPI_Win win;
  MPI_Group all, to, from;
  MPI_Win_create(&cell, sizeof cell, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_get_group(win, &all);
  const int right_one = (rank + 1) % ranks, left_one = (rank + ranks - 1) % ranks;
  MPI_Group_incl(all, 1, &right_one, &to);
  MPI_Group_incl(all, 1, &left_one, &from);
  for (int round = 0; round < 200; ++round) {
    const int value = 1000 * round + rank;
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    MPI_Put(&value, 1, MPI_INT, right_one, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    EXPECT(cell == 1000 * round + left_one);
  }
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Group_free(&all);
  MPI_Win_free(&win);
}

static int class_of(int code) {
  int error_class;
  MPI_Error_class(code, &error_class);
  return error_class;
}
#define FAILS(call, wanted) EXPECT(class_of(call) == (wanted))

static void errors(void) {
  int cell = 0, value = 1;
  MPI_Win win;
  MPI_Win_create(&cell, sizeof cell, sizeof cell, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  FAILS(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_flush(0, win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_lock(-77, 0, 0, win), MPI_ERR_LOCKTYPE);
  FAILS(MPI_Win_lock(MPI_LOCK_SHARED, ranks, 0, win), MPI_ERR_RANK);
  FAILS(MPI_Win_attach(win, &value, 4), MPI_ERR_RMA_FLAVOR);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  FAILS(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Put(&value, 1, MPI_INT, rank, 1, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
  FAILS(MPI_Put(&value, 1, MPI_INT, rank, -1, 1, MPI_INT, win), MPI_ERR_DISP);
  FAILS(MPI_Put(&value, -1, MPI_INT, rank, 0, 1, MPI_INT, win), MPI_ERR_COUNT);
  FAILS(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
  MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
  MPI_Win_unlock(rank, win);
  MPI_Win_free(&win);
}

/* Rank 0 holds a shared lock until rank 2, which comes after an exclusive lock of rank 1, writes.
 */
static void share_past_an_exclusive_lock(void) {
  long* memory;
  MPI_Win win;
  MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  *memory = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  long one = 1, seen = 0;
  if (ranks >= 3 && rank < 3) {
    if (rank == 2) MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) {
      MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD);
    }
    if (rank == 2)
      for (int i = 0; i < 1000; ++i) MPI_Iprobe(1, 1, MPI_COMM_WORLD, &(int){0}, MPI_STATUS_IGNORE);
    MPI_Win_lock(rank == 1 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0, win);
    if (rank == 0) MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 2) MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win);
    while (rank == 0 && seen == 0) {
      MPI_Fetch_and_op(NULL, &seen, MPI_LONG, 0, 0, MPI_NO_OP, win);
      MPI_Win_flush(0, win);
    }
    MPI_Win_unlock(0, win);
  }
  MPI_Win_free(&win);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  random_calls(0);
  random_calls(1);
  counters();
  posts();
  share_past_an_exclusive_lock();
  errors();
  if (right) printf("right\n");
  MPI_Finalize();
  return 0;
}
