// SPDX-License-Identifier: BSD-3-Clause
// What a split costs: time per call, and memory that the call leaves behind, at the rank for which
// it is most. The MPI's own MPI_Comm_split next to it, which each split consists of, among others.
//
//   splits ROUNDS     prints lines "S,CALL,MICROSECONDS,BYTES"
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "terrace/mpix.h"

#define MOST_LEVELS 16

static int own;
static MPI_Comm made[2 * MOST_LEVELS];
static int made_count;

static void keep(MPI_Comm comm) {
  if (comm != MPI_COMM_NULL) made[made_count++] = comm;
}

static void mpis_split(void) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, own % 2, 0, &comm);
  keep(comm);
}

static void next_level(void) {
  MPI_Comm comm;
  MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, 0, MPI_INFO_NULL, &comm);
  keep(comm);
}

static void with_roots(void) {
  MPI_Comm comm, roots;
  MPIX_Comm_hsplit_with_roots(MPI_COMM_WORLD, MPI_INFO_NULL, &comm, &roots);
  keep(comm);
  keep(roots);
}

static void all_levels(void) {
  MPI_Comm comms[MOST_LEVELS], roots[MOST_LEVELS];
  int levels;
  MPIX_Comm_hsplit_all(MPI_COMM_WORLD, MPI_INFO_NULL, MOST_LEVELS, &levels, comms, roots, NULL);
  for (int i = 0; i < levels; ++i) keep(comms[i]), keep(roots[i]);
}

static void measure(const char* name, void (*work)(void)) {
  made_count = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const struct mallinfo2 before = mallinfo2();
  double values[2] = {MPI_Wtime(), 0};
  work();
  values[0] = MPI_Wtime() - values[0];
  const struct mallinfo2 after = mallinfo2();
  values[1] = (double)(after.uordblks + after.hblkhd) - (double)(before.uordblks + before.hblkhd);
  MPI_Allreduce(MPI_IN_PLACE, values, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (own == 0) printf("S,%s,%.2f,%.0f\n", name, values[0] * 1e6, values[1]);
  for (int i = 0; i < made_count; ++i) MPI_Comm_free(&made[i]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  for (int round = 0; round < rounds; ++round) {
    measure("MPI_Comm_split", mpis_split);
    measure("split_type", next_level);
    measure("hsplit_with_roots", with_roots);
    measure("hsplit_all", all_levels);
  }
  MPI_Finalize();
  return 0;
}
