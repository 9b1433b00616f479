// SPDX-License-Identifier: BSD-3-Clause
// Broadcast or reduction, the MPI's own over all ranks and the same one level by level, in turn.
//
//   levels CALL BYTES ROUNDS     prints lines "L,CALL,BYTES,WHO,MICROSECONDS,RIGHT"
//
// A sample is the time of a batch of calls at the rank for which it took longest, per call.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terrace/hierarchical.h"

#define CALLS 10

static int own, ranks;
static MPIX_Hierarchy* hierarchy;

static void call(int is_bcast, int by_levels, double* in, double* out, int count) {
  if (is_bcast && by_levels)
    MPIX_Hbcast(in, count, MPI_DOUBLE, 0, hierarchy);
  else if (is_bcast)
    MPI_Bcast(in, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  else if (by_levels)
    MPIX_Hreduce(in, out, count, MPI_DOUBLE, MPI_SUM, 0, hierarchy);
  else
    MPI_Reduce(in, out, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static int is_right(int is_bcast, const double* in, const double* out, int count) {
  int right = 1;
  for (int i = 0; i < count; ++i) {
    if (is_bcast && in[i] != i + 1) right = 0;
    if (!is_bcast && own == 0 && out[i] != (double)ranks * (i + 1)) right = 0;
  }
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return right;
}

static void sample(const char* name, int by_levels, double* in, double* out, int count) {
  const int is_bcast = strcmp(name, "bcast") == 0;
  for (int i = 0; i < count; ++i) in[i] = is_bcast && own != 0 ? 0 : i + 1, out[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < CALLS; ++i) call(is_bcast, by_levels, in, out, count);
  double seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const int right = is_right(is_bcast, in, out, count);
  if (own == 0)
    printf("L,%s,%d,%s,%.3f,%d\n", name, count * 8, by_levels ? "levels" : "native",
           seconds / CALLS * 1e6, right);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4) return 2;
  const int count = atoi(argv[2]) / 8, rounds = atoi(argv[3]);
  double* const in = malloc((size_t)count * 8 + 8);
  double* const out = malloc((size_t)count * 8 + 8);
  if (!in || !out) return 2;
  MPIX_Hierarchy_create(MPI_COMM_WORLD, MPI_INFO_NULL, &hierarchy);
  for (int round = 0; round < rounds; ++round)
    for (int by_levels = 0; by_levels < 2; ++by_levels) sample(argv[1], by_levels, in, out, count);
  MPIX_Hierarchy_free(&hierarchy);
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
