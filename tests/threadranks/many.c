/* SPDX-License-Identifier: BSD-3-Clause
 * Any number of ranks that meet in the ways that programs of many do. Rank 0 prints "right". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks, faults;

static void check(int holds, const char* what) {
  if (holds) return;
  ++faults;
  fprintf(stderr, "rank %d of %d: %s\n", rank, ranks, what);
}

/* Whether there is each rank's number in its place. */
static int are_all(const int* numbers) {
  for (int i = 0; i < ranks; ++i)
    if (numbers[i] != i) return 0;
  return 1;
}

static void pass_on(void) {
  int from = -1;
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  MPI_Sendrecv(&rank, 1, MPI_INT, next, 0, &from, 1, MPI_INT, before, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  check(from == before, "the ring brings another number");
}

static void halve(void) {
  MPI_Comm half;
  int its_rank = -1, sum = 0;
  const int one = 1;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_rank(half, &its_rank);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, half);
  check(its_rank == rank / 2 && sum == (ranks + 1 - rank % 2) / 2, "the half is another");
  MPI_Comm_free(&half);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int* const all = calloc((size_t)ranks, sizeof *all);
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(sum == ranks * (ranks - 1) / 2, "the sum is another");
  pass_on();
  halve();
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  check(are_all(all), "allgather brings other numbers");
  free(all);
  MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && faults == 0) printf("right\n");
  MPI_Finalize();
  return faults != 0;
}
