// SPDX-License-Identifier: BSD-3-Clause
// Makes each of the 17 collectives 30 times, MPI_Comm_free once, and a message that is probed for
// once after a barrier: what a tool must count. No other collective is called, by no other name.
// With the name of a file it also writes that together, for which MPIs call some inside.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kCalls = 30, kMostRanks = 16 };
static int rank, size, failures;
static MPI_Comm comm;

// Rank r gives 100 r + i for rank i, or r where it gives one number.
static int given[kMostRanks], got[kMostRanks], ones[kMostRanks], places[kMostRanks];
static int offsets[kMostRanks];
static MPI_Datatype types[kMostRanks];

static void expect(int is_right, const char* what) {
  if (is_right) return;
  if (failures++ < 5) fprintf(stderr, "rank %d: %s is wrong\n", rank, what);
}

static int holds_ranks(void) {
  int right = 1;
  for (int i = 0; i < size; ++i) right = right && got[i] == i;
  return right;
}

static int holds_row(void) {
  int right = 1;
  for (int i = 0; i < size; ++i) right = right && got[i] == 100 * i + rank;
  return right;
}

static void forget(void) {
  for (int i = 0; i < size; ++i) got[i] = -1;
}

static void combine(int root) {
  const int all = size * (size - 1) / 2;
  MPI_Barrier(comm);
  int word = rank;
  MPI_Bcast(&word, 1, MPI_INT, root, comm);
  expect(word == root, "bcast");
  MPI_Reduce(&rank, got, 1, MPI_INT, MPI_SUM, root, comm);
  expect(rank != root || got[0] == all, "reduce");
  MPI_Allreduce(&rank, got, 1, MPI_INT, MPI_SUM, comm);
  expect(got[0] == all, "allreduce");
  MPI_Reduce_scatter_block(given, got, 1, MPI_INT, MPI_SUM, comm);
  expect(got[0] == 100 * all + size * rank, "reduce_scatter_block");
  MPI_Reduce_scatter(given, got, ones, MPI_INT, MPI_SUM, comm);
  expect(got[0] == 100 * all + size * rank, "reduce_scatter");
  MPI_Scan(&rank, got, 1, MPI_INT, MPI_SUM, comm);
  expect(got[0] == rank * (rank + 1) / 2, "scan");
  MPI_Exscan(&rank, got, 1, MPI_INT, MPI_SUM, comm);
  expect(rank == 0 || got[0] == rank * (rank - 1) / 2, "exscan");
}

static void move(int root) {
  forget();
  MPI_Allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, comm);
  expect(holds_ranks(), "allgather");
  forget();
  MPI_Allgatherv(&rank, 1, MPI_INT, got, ones, places, MPI_INT, comm);
  expect(holds_ranks(), "allgatherv");
  forget();
  MPI_Gather(&rank, 1, MPI_INT, got, 1, MPI_INT, root, comm);
  expect(rank != root || holds_ranks(), "gather");
  forget();
  MPI_Gatherv(&rank, 1, MPI_INT, got, ones, places, MPI_INT, root, comm);
  expect(rank != root || holds_ranks(), "gatherv");
  MPI_Scatter(given, 1, MPI_INT, got, 1, MPI_INT, root, comm);
  expect(got[0] == 100 * root + rank, "scatter");
  MPI_Scatterv(given, ones, places, MPI_INT, got, 1, MPI_INT, root, comm);
  expect(got[0] == 100 * root + rank, "scatterv");
  forget();
  MPI_Alltoall(given, 1, MPI_INT, got, 1, MPI_INT, comm);
  expect(holds_row(), "alltoall");
  forget();
  MPI_Alltoallv(given, ones, places, MPI_INT, got, ones, places, MPI_INT, comm);
  expect(holds_row(), "alltoallv");
  forget();
  MPI_Alltoallw(given, ones, offsets, types, got, ones, offsets, types, comm);
  expect(holds_row(), "alltoallw");
}

/// What was sent before a barrier is there after it, for those who ask once.
static void probe_once(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  int word = 7, is_there = 0;
  if (rank == 0) MPI_Isend(&word, 1, MPI_INT, size - 1, 0, comm, &request);
  MPI_Barrier(comm);
  if (rank == size - 1) {
    MPI_Iprobe(0, 0, comm, &is_there, MPI_STATUS_IGNORE);
    expect(is_there, "iprobe");
    MPI_Recv(&word, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

#ifndef WITHOUT_FILES
static void write_together(const char* name) {
  MPI_File file;
  int one = -1;
  MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  for (int call = 0; call < 10; ++call)
    MPI_File_write_at_all(file, rank * (int)sizeof(int), &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_File_read_at_all(file, rank * (int)sizeof(int), &one, 1, MPI_INT, MPI_STATUS_IGNORE);
  expect(one == rank, "the file");
  MPI_File_close(&file);
}
#else  // ranks that are threads have none
static void write_together(const char* name) {
  expect(name == NULL, "the file");
}
#endif

/// Without a collective: rank 0 hears what is wrong at each rank.
static int sum_up(void) {
  int all = failures, one = 0;
  if (rank > 0) MPI_Send(&failures, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  for (int peer = 1; rank == 0 && peer < size; ++peer, all += one)
    MPI_Recv(&one, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) printf(all ? "%d results are wrong\n" : "all right %d\n", all);
  return all;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > kMostRanks) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < size; ++i) {
    given[i] = 100 * rank + i;
    ones[i] = 1;
    places[i] = i;
    offsets[i] = i * (int)sizeof(int);
    types[i] = MPI_INT;
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int call = 0; call < kCalls; ++call) {
    combine(call % size);
    move(call % size);
  }
  probe_once();
  if (argc > 1) write_together(argv[1]);
  MPI_Comm_free(&comm);
  const int wrong = sum_up();
  MPI_Finalize();
  return wrong != 0;
}
