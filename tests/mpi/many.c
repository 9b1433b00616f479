/* SPDX-License-Identifier: BSD-3-Clause
 * Each collective once, among any number of ranks, with blocks of a few numbers; each result is
 * compared with what it must be. Rank 0 prints "all right 0". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 4, ROOT = 2 };

static int rank, ranks, faults;

static void check(int holds, const char* what) {
  if (holds) return;
  ++faults;
  fprintf(stderr, "rank %d of %d: another result of %s\n", rank, ranks, what);
}

static int is_number_of(long number, int from, int to) {
  return number == from * 10000L + to;
}

static void whole_vectors(void) {
  const long own = rank, of_all = (long)ranks * (ranks - 1) / 2, up_to_own = own * (own + 1) / 2;
  long number = rank == ROOT ? 42 : 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(&number, 1, MPI_LONG, ROOT, MPI_COMM_WORLD);
  check(number == 42, "bcast");
  MPI_Reduce(&own, &number, 1, MPI_LONG, MPI_SUM, ROOT, MPI_COMM_WORLD);
  check(number == (rank == ROOT ? of_all : 42), "reduce");
  MPI_Allreduce(&own, &number, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  check(number == of_all, "allreduce");
  MPI_Scan(&own, &number, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  check(number == up_to_own, "scan");
  number = 0;
  MPI_Exscan(&own, &number, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  check(number == up_to_own - own, "exscan");
}

/* `blocks` has one for each rank, as `found` afterwards. */
static void moved_blocks(const long* blocks, long* found) {
  int is_right = 1;
  MPI_Allgather(blocks, BLOCK, MPI_LONG, found, BLOCK, MPI_LONG, MPI_COMM_WORLD);
  for (int i = 0; i < ranks * BLOCK; ++i) is_right &= is_number_of(found[i], i / BLOCK, 0);
  check(is_right, "allgather");
  MPI_Alltoall(blocks, BLOCK, MPI_LONG, found, BLOCK, MPI_LONG, MPI_COMM_WORLD);
  is_right = 1;
  for (int i = 0; i < ranks * BLOCK; ++i) is_right &= is_number_of(found[i], i / BLOCK, rank);
  check(is_right, "alltoall");
  MPI_Gather(blocks, BLOCK, MPI_LONG, found, BLOCK, MPI_LONG, ROOT, MPI_COMM_WORLD);
  is_right = 1;
  for (int i = 0; i < ranks * BLOCK && rank == ROOT; ++i)
    is_right &= is_number_of(found[i], i / BLOCK, 0);
  check(is_right, "gather");
  MPI_Scatter(blocks, BLOCK, MPI_LONG, found, BLOCK, MPI_LONG, ROOT, MPI_COMM_WORLD);
  is_right = 1;
  for (int i = 0; i < BLOCK; ++i) is_right &= is_number_of(found[i], ROOT, rank);
  check(is_right, "scatter");
  MPI_Reduce_scatter_block(blocks, found, BLOCK, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  const long sum = 10000L * ranks * (ranks - 1) / 2 + (long)ranks * rank;
  is_right = 1;
  for (int i = 0; i < BLOCK; ++i) is_right &= found[i] == sum;
  check(is_right, "reduce_scatter_block");
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  long* const blocks = calloc((size_t)ranks * BLOCK, sizeof *blocks);
  long* const found = calloc((size_t)ranks * BLOCK, sizeof *found);
  for (int i = 0; i < ranks * BLOCK; ++i) blocks[i] = rank * 10000L + i / BLOCK;
  whole_vectors();
  moved_blocks(blocks, found);
  free(blocks);
  free(found);
  MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && faults == 0) printf("all right 0\n");
  MPI_Finalize();
  return faults != 0;
}
