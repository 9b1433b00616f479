/* SPDX-License-Identifier: BSD-3-Clause
 * What the first calls of a class of sizes take, and later ones.
 *
 *   trials COLLECTIVE BYTES   that many bytes per vector or block. Buffers are rewritten before
 *                             each call. By rank 0, in microseconds of the slowest rank:
 *   F,first,later             1000 calls from the first on; calls 5000 to 6000
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIRST = 1000, LATER = 5000, END = 6000 };

static int rank, ranks, count;
static double *in, *out;

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static void call(const char* collective) {
  for (int i = 0; i < count; ++i) in[i] += 1;
  if (strcmp(collective, "bcast") == 0) {
    MPI_Bcast(in, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  } else if (strcmp(collective, "reduce") == 0) {
    MPI_Reduce(in, out, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  } else if (strcmp(collective, "allreduce") == 0) {
    MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  } else if (strcmp(collective, "allgather") == 0) {
    MPI_Allgather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, MPI_COMM_WORLD);
  } else if (strcmp(collective, "alltoall") == 0) {
    MPI_Alltoall(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, MPI_COMM_WORLD);
  } else {
    fprintf(stderr, "trials: there is no %s\n", collective);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}

static double slowest(double us) {
  double most = 0;
  PMPI_Reduce(&us, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return most;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) {
    fprintf(stderr, "usage: trials COLLECTIVE BYTES\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  count = atoi(argv[2]) / (int)sizeof(double);
  in = calloc((size_t)(count * ranks), sizeof *in);
  out = calloc((size_t)(count * ranks), sizeof *out);
  /* The team is founded, and has measured what it needs to know of the machine. */
  for (int i = 0; i < 300; ++i) MPI_Barrier(MPI_COMM_WORLD);
  double first = 0, later = 0, begin = now_us();
  for (int i = 0; i < END; ++i) {
    if (i == FIRST) first = now_us() - begin;
    if (i == LATER) begin = now_us();
    call(argv[1]);
  }
  later = now_us() - begin;
  first = slowest(first);
  later = slowest(later);
  if (rank == 0) printf("F,%.2f,%.2f\n", first, later);
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
