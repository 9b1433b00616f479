/* SPDX-License-Identifier: BSD-3-Clause
 * What a library costs besides its median: the tail of single calls, the start, memory.
 *
 *   footprint calls [N]         N single calls of a few collectives, timed one by one
 *   footprint start             from MPI_Init to the end of the first collective, and of the tenth
 *   footprint memory [N]        with N communicators alive that have made ten collectives each
 * Output, by rank 0:
 *   C,collective,bytes,who,p50,p99,most         microseconds, the most that a rank
 *                                               says; who: mpi, below (PMPI_X)
 *   T,init,first,tenth                          milliseconds since before MPI_Init, slowest rank
 *   M,communicators,init_kb,now_kb,most_kb,teams_kb   memory per rank: Pss after MPI_Init and now,
 *                                               average of the ranks, and the most of one; what is
 *                                               set aside for teams, touched or not
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../pin.h"

enum { TEN = 10, BATCH = 200, LONGEST = 4096 / sizeof(double) };
enum { BARRIER, BCAST, ALLREDUCE, ALLTOALL, COLLECTIVES };
static const char* const kNames[] = {"barrier", "bcast", "allreduce", "alltoall"};

static int rank, ranks;
static double *input, *output;

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

#define DEFINE_CALL(name, X)                                                              \
  static void name(int collective, int count) {                                           \
    switch (collective) {                                                                 \
      case BARRIER:                                                                       \
        X##Barrier(MPI_COMM_WORLD);                                                       \
        break;                                                                            \
      case BCAST:                                                                         \
        X##Bcast(output, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);                           \
        break;                                                                            \
      case ALLREDUCE:                                                                     \
        X##Allreduce(input, output, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);          \
        break;                                                                            \
      default:                                                                            \
        X##Alltoall(input, count, MPI_DOUBLE, output, count, MPI_DOUBLE, MPI_COMM_WORLD); \
    }                                                                                     \
  }
DEFINE_CALL(call_mpi, MPI_)
DEFINE_CALL(call_below, PMPI_)

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double most(double mine) {
  double result = 0;
  PMPI_Allreduce(&mine, &result, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return result;
}

static void time_calls(int collective, int count, int calls) {
  double* us[2] = {malloc((size_t)calls * sizeof(double)), malloc((size_t)calls * sizeof(double))};
  if (!us[0] || !us[1]) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int begin = 0; begin < calls; begin += BATCH)
    for (int who = 0; who < 2; ++who)
      for (int i = begin; i < begin + BATCH && i < calls; ++i) {
        input[i % count] += 1;
        PMPI_Barrier(MPI_COMM_WORLD);
        const double start = now_us();
        (who == 0 ? call_mpi : call_below)(collective, count);
        us[who][i] = now_us() - start;
      }
  for (int who = 0; who < 2; ++who) {
    qsort(us[who], (size_t)calls, sizeof(double), compare);
    const double p50 = most(us[who][calls / 2]), p99 = most(us[who][calls / 100 * 99]);
    const double longest = most(us[who][calls - 1]);
    if (rank == 0)
      printf("C,%s,%zu,%s,%.3f,%.3f,%.3f\n", kNames[collective],
             collective == BARRIER ? 0 : (size_t)count * sizeof(double), who ? "below" : "mpi", p50,
             p99, longest);
    free(us[who]);
  }
}

static void all_calls(int calls) {
  const int counts[] = {1, LONGEST};
  for (int i = 0; i < TEN; ++i) call_mpi(BARRIER, 0);
  for (int collective = 0; collective < COLLECTIVES; ++collective)
    for (int i = 0; i < (collective == BARRIER ? 1 : 2); ++i)
      time_calls(collective, counts[i], calls);
}

/* `init` is when MPI_Init was called, `ready` when it had returned. */
static void start(double init, double ready) {
  double ends[TEN];
  for (int i = 0; i < TEN; ++i) {
    call_mpi(ALLREDUCE, 1);
    ends[i] = now_us();
  }
  const double ms[] = {most(ready - init) / 1e3, most(ends[0] - init) / 1e3,
                       most(ends[TEN - 1] - init) / 1e3};
  if (rank == 0) printf("T,%.3f,%.3f,%.3f\n", ms[0], ms[1], ms[2]);
}

/* Returns the memory of this process: memory that it shares counts by its share of it. */
static double pss_kb(void) {
  FILE* file = fopen("/proc/self/smaps_rollup", "r");
  char line[256];
  double found = 0;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "Pss: %lf", &found) == 1) break;
  if (file) fclose(file);
  return found;
}

/* Mappings of Terrace's memory for teams hold the shares of all ranks: here, of one. */
static double teams_kb(void) {
  FILE* file = fopen("/proc/self/maps", "r");
  char line[512];
  double bytes = 0;
  unsigned long begin, end;
  while (file && fgets(line, sizeof line, file))
    if (strstr(line, "/memfd:terrace ") && sscanf(line, "%lx-%lx", &begin, &end) == 2)
      bytes += (double)(end - begin);
  if (file) fclose(file);
  return bytes / 1024 / ranks;
}

static double average(double mine) {
  double sum = 0;
  PMPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum / ranks;
}

static void memory(int communicators) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double init = average(pss_kb());
  MPI_Comm* alive = malloc((size_t)communicators * sizeof *alive);
  if (!alive) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < communicators; ++i) {
    alive[i] = MPI_COMM_WORLD;
    if (i > 0) MPI_Comm_dup(MPI_COMM_WORLD, &alive[i]);
    for (int call = 0; call < TEN; ++call)
      MPI_Allreduce(input, output, 1, MPI_DOUBLE, MPI_SUM, alive[i]);
  }
  PMPI_Barrier(MPI_COMM_WORLD);
  const double kb = pss_kb();
  PMPI_Barrier(MPI_COMM_WORLD);
  const double now = average(kb), worst = most(kb);
  const double teams = average(teams_kb());
  if (rank == 0) printf("M,%d,%.0f,%.0f,%.0f,%.0f\n", communicators, init, now, worst, teams);
  for (int i = 1; i < communicators; ++i) MPI_Comm_free(&alive[i]);
  free(alive);
}

int main(int count, char** words) {
  const double init = now_us();
  MPI_Init(&count, &words);
  const double ready = now_us();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  pin(rank);
  const size_t room = sizeof(double) * LONGEST * (size_t)ranks;
  input = calloc(1, room);
  output = calloc(1, room);
  if (!input || !output) MPI_Abort(MPI_COMM_WORLD, 1);
  const char* what = count > 1 ? words[1] : "";
  const int number = count > 2 ? atoi(words[2]) : 0;
  if (strcmp(what, "calls") == 0)
    all_calls(number > 0 ? number : 20000);
  else if (strcmp(what, "start") == 0)
    start(init, ready);
  else if (strcmp(what, "memory") == 0)
    memory(number > 0 ? number : 1);
  else if (rank == 0)
    fprintf(stderr, "footprint: '%s' given, expected calls, start or memory\n", what);
  MPI_Finalize();
  return 0;
}
