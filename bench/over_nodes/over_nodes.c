/* SPDX-License-Identifier: BSD-3-Clause
 * Times collectives of ranks on several nodes in batches: MPI_X is the library that answers it
 * (Terrace, if it is preloaded), PMPI_X always the MPI itself, so both run in turn in one process.
 * Buffers are written before each call. A batch takes as long as the rank that spends most in it.
 *
 *   over_nodes COLLECTIVES SIZES ROUNDS BATCH_US
 * Output, by rank 0: S,collective,bytes,who,round,us_per_call
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, ranks;
static double *input, *output;

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static double longest(double us) {
  double all = us;
  PMPI_Allreduce(&us, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

/* Blocks of `bytes` are bytes; vectors to be combined are doubles. */
#define CALL(P, name, bytes)                                                                       \
  do {                                                                                             \
    const int count = (int)((bytes) / sizeof(double));                                             \
    if (!strcmp(name, "barrier")) P##_Barrier(MPI_COMM_WORLD);                                     \
    if (!strcmp(name, "bcast")) P##_Bcast(input, (int)(bytes), MPI_BYTE, 0, MPI_COMM_WORLD);       \
    if (!strcmp(name, "reduce"))                                                                   \
      P##_Reduce(input, output, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);                    \
    if (!strcmp(name, "allreduce"))                                                                \
      P##_Allreduce(input, output, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);                    \
    if (!strcmp(name, "gather"))                                                                   \
      P##_Gather(input, (int)(bytes), MPI_BYTE, output, (int)(bytes), MPI_BYTE, 0,                 \
                 MPI_COMM_WORLD);                                                                  \
    if (!strcmp(name, "scatter"))                                                                  \
      P##_Scatter(input, (int)(bytes), MPI_BYTE, output, (int)(bytes), MPI_BYTE, 0,                \
                  MPI_COMM_WORLD);                                                                 \
    if (!strcmp(name, "allgather"))                                                                \
      P##_Allgather(input, (int)(bytes), MPI_BYTE, output, (int)(bytes), MPI_BYTE,                 \
                    MPI_COMM_WORLD);                                                               \
    if (!strcmp(name, "alltoall"))                                                                 \
      P##_Alltoall(input, (int)(bytes), MPI_BYTE, output, (int)(bytes), MPI_BYTE, MPI_COMM_WORLD); \
    if (!strcmp(name, "reduce_scatter_block"))                                                     \
      P##_Reduce_scatter_block(input, output, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);         \
  } while (0)

static void call(const char* who, const char* name, size_t bytes) {
  if (!strcmp(who, "mpi"))
    CALL(MPI, name, bytes);
  else
    CALL(PMPI, name, bytes);
}

static void batch(const char* who, const char* name, size_t bytes, int calls) {
  for (int i = 0; i < calls; ++i) {
    for (size_t at = 0; at < bytes / sizeof *input; ++at) input[at] = rank + i;
    call(who, name, bytes);
  }
}

static double us_per_call(const char* who, const char* name, size_t bytes, int calls) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double begin = now_us();
  batch(who, name, bytes, calls);
  return longest(now_us() - begin) / calls;
}

static void measure(const char* name, size_t bytes, int rounds, double batch_us) {
  static const char* const kWho[] = {"mpi", "below"};
  const double first = us_per_call("below", name, bytes, 4);
  int calls = (int)(batch_us / (first + 1)) + 3;
  /* Terrace's trials have been decided when this is over, if they are worth their cost. */
  batch("mpi", name, bytes, 10 * calls < 300 ? 300 : 10 * calls);
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < 2; ++i) {
      const char* const who = kWho[(i + round) % 2];
      const double us = us_per_call(who, name, bytes, calls);
      if (rank == 0) printf("S,%s,%zu,%s,%d,%.3f\n", name, bytes, who, round, us);
    }
  if (rank == 0) fflush(stdout);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 5) return rank == 0 ? fprintf(stderr, "see over_nodes.c\n") : 0;
  const int rounds = atoi(argv[3]);
  const double batch_us = atof(argv[4]);
  size_t most = 8;
  for (const char* at = argv[2]; *at; at += strcspn(at, ","), at += *at == ',') {
    const size_t bytes = strtoul(at, NULL, 10);
    most = bytes > most ? bytes : most;
  }
  input = calloc(most * (size_t)ranks + 8, 1);
  output = calloc(most * (size_t)ranks + 8, 1);
  for (int i = 0; i < 30; ++i) MPI_Barrier(MPI_COMM_WORLD);
  for (char* name = strtok(argv[1], ","); name; name = strtok(NULL, ",")) {
    for (const char* at = argv[2]; *at; at += strcspn(at, ","), at += *at == ',') {
      const int has_bytes = strcmp(name, "barrier") != 0;
      measure(name, has_bytes ? strtoul(at, NULL, 10) : 0, rounds, batch_us);
      if (!has_bytes) break;
    }
  }
  MPI_Finalize();
  return 0;
}
