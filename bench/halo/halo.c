/* SPDX-License-Identifier: BSD-3-Clause
 * A halo exchange with an allreduce in its midst: receives and sends to both neighbours of a ring
 * are pending while the ranks combine a few numbers, as programs do that hide one behind the other.
 * MPI_Allreduce is Terrace's if that is preloaded, PMPI_Allreduce the MPI's own:
 * their batches take turns in one process. Sends, receives and Waitall are the MPI's in both.
 *
 *   halo [--bytes LIST] [--rounds N] [--batch-us T]
 * Output, by rank 0: H,bytes,who,round,us,right
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../pin.h"

enum { NUMBERS = 8, MOST_SIZES = 16 };
enum { OURS, BELOW, CONTENDERS };
static const char* const kNames[] = {"ours", "below"};

static int rank, ranks, before, after;
static double *sent[2], *received[2];

static void combine(int who, const double* numbers, double* sums) {
  if (who == OURS)
    MPI_Allreduce(numbers, sums, NUMBERS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  else
    PMPI_Allreduce(numbers, sums, NUMBERS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Whether all came that should. */
static int exchange(int who, int count, double step) {
  MPI_Request pending[4];
  MPI_Irecv(received[0], count, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, &pending[0]);
  MPI_Irecv(received[1], count, MPI_DOUBLE, after, 1, MPI_COMM_WORLD, &pending[1]);
  for (int side = 0; side < 2; ++side) sent[side][0] = sent[side][count - 1] = step + rank;
  MPI_Isend(sent[0], count, MPI_DOUBLE, after, 0, MPI_COMM_WORLD, &pending[2]);
  MPI_Isend(sent[1], count, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &pending[3]);
  double numbers[NUMBERS], sums[NUMBERS];
  for (int i = 0; i < NUMBERS; ++i) numbers[i] = step + i;
  combine(who, numbers, sums);
  MPI_Waitall(4, pending, MPI_STATUSES_IGNORE);
  int right = received[0][count - 1] == step + before && received[1][0] == step + after;
  for (int i = 0; i < NUMBERS; ++i) right &= sums[i] == ranks * (step + i);
  return right;
}

/* Microseconds of one exchange, of the slowest rank. */
static double batch(int who, int count, int exchanges, int* right) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  int mine[2] = {1, 0};
  for (int i = 0; i < exchanges; ++i) mine[0] &= exchange(who, count, i % 7);
  double us = (MPI_Wtime() - begin) * 1e6 / exchanges, most = 0;
  PMPI_Allreduce(&us, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  PMPI_Allreduce(&mine[0], right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return most;
}

static void measure(int count, int rounds, double batch_us) {
  int right = 1;
  double us = batch(OURS, count, 8, &right); /* the agreement is behind us then */
  us = batch(BELOW, count, 8, &right);
  const int exchanges = batch_us / us > 4 ? (int)(batch_us / us) : 4;
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < CONTENDERS; ++i) {
      const int who = (i + round) % CONTENDERS;
      us = batch(who, count, exchanges, &right);
      if (rank == 0)
        printf("H,%zu,%s,%d,%.3f,%d\n", (size_t)count * sizeof(double), kNames[who], round, us,
               right);
    }
}

static const char* option(int count, char** words, const char* name, const char* otherwise) {
  for (int i = 1; i + 1 < count; ++i)
    if (strcmp(words[i], name) == 0) return words[i + 1];
  return otherwise;
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  before = (rank + ranks - 1) % ranks;
  after = (rank + 1) % ranks;
  pin(rank);
  char* sizes = strdup(option(count, words, "--bytes", "65536,262144,1048576"));
  const int rounds = atoi(option(count, words, "--rounds", "20"));
  const double batch_us = atof(option(count, words, "--batch-us", "3000"));
  int counts[MOST_SIZES], found = 0, most = 1;
  for (char* word = strtok(sizes, ","); word && found < MOST_SIZES; word = strtok(NULL, ",")) {
    counts[found] = atoi(word) / (int)sizeof(double);
    if (counts[found] < 1) counts[found] = 1;
    if (counts[found] > most) most = counts[found];
    ++found;
  }
  for (int side = 0; side < 2; ++side) {
    sent[side] = calloc((size_t)most, sizeof(double));
    received[side] = calloc((size_t)most, sizeof(double));
    if (!sent[side] || !received[side]) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int i = 0; i < found; ++i) measure(counts[i], rounds, batch_us);
  MPI_Finalize();
  return 0;
}
