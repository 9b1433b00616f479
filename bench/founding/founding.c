/* SPDX-License-Identifier: BSD-3-Clause
 * What a communicator costs that makes some collectives and is freed.
 *
 *   founding lives N THREADS SECONDS   communicators of all ranks, one after the other: duplicated,
 *                                      N allreduces of 8 bytes, freed; by so many threads at once,
 *                                      which have a parent each
 *   founding start                     from MPI_Init to the end of the first collective, the
 * fourth, and the hundredth Output, by rank 0: L,communicators,us                 made by each
 * thread after a tenth of the time, and what one of them takes, slowest rank
 *   T,init,first,fourth,hundredth      milliseconds since before MPI_Init, slowest rank
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_THREADS = 16, LOOK = 8 };

typedef struct {
  MPI_Comm parent;
  double us;
  long made;
} Thread;

static int rank, ranks, calls;
static double seconds;

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static void live(MPI_Comm parent) {
  MPI_Comm child;
  MPI_Comm_dup(parent, &child);
  for (int i = 0; i < calls; ++i) {
    double one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, child);
    if (sum != ranks) MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Comm_free(&child);
}

/* All ranks make as many: rank 0 says when it is time to stop, on the parent, to which that is all
 * that happens; the MPI's own, so that nothing is founded for it. */
static int goes_on(MPI_Comm parent, double begin, double most) {
  int goes = now_us() - begin < most;
  PMPI_Bcast(&goes, 1, MPI_INT, 0, parent);
  return goes;
}

static double live_for(Thread* thread, double most, long* made) {
  const double begin = now_us();
  *made = 0;
  while (goes_on(thread->parent, begin, most))
    for (int i = 0; i < LOOK; ++i, ++*made) live(thread->parent);
  return now_us() - begin;
}

static void* work(void* argument) {
  Thread* thread = argument;
  long made = 0;
  live_for(thread, seconds * 1e5, &made);
  thread->us = live_for(thread, seconds * 1e6, &thread->made);
  return NULL;
}

static void time_lives(int count) {
  Thread threads[MOST_THREADS];
  pthread_t ids[MOST_THREADS];
  for (int i = 0; i < count; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &threads[i].parent);
  for (int i = 1; i < count; ++i) pthread_create(&ids[i], NULL, work, &threads[i]);
  work(&threads[0]);
  for (int i = 1; i < count; ++i) pthread_join(ids[i], NULL);
  double us = 0, most = 0;
  long made = 0;
  for (int i = 0; i < count; ++i) {
    us += threads[i].us / (double)threads[i].made / count;
    made += threads[i].made;
    MPI_Comm_free(&threads[i].parent);
  }
  PMPI_Reduce(&us, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("L,%ld,%.2f\n", made / count, most);
}

static void time_start(double begin) {
  double ms[4], most[4];
  ms[0] = now_us();
  for (int i = 1; i <= 100; ++i) {
    double one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (i == 1) ms[1] = now_us();
    if (i == 4) ms[2] = now_us();
    if (i == 100) ms[3] = now_us();
  }
  for (int i = 0; i < 4; ++i) ms[i] = (ms[i] - begin) / 1e3;
  PMPI_Reduce(ms, most, 4, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("T,%.3f,%.3f,%.3f,%.3f\n", most[0], most[1], most[2], most[3]);
}

int main(int argc, char** argv) {
  const double begin = now_us();
  const int lives = argc == 5 && strcmp(argv[1], "lives") == 0;
  const int threads = lives ? atoi(argv[3]) : 1;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (threads < 1 || threads > MOST_THREADS || (threads > 1 && provided < MPI_THREAD_MULTIPLE)) {
    if (rank == 0) fprintf(stderr, "founding: the MPI has no %d threads\n", threads);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (lives) {
    calls = atoi(argv[2]);
    seconds = atof(argv[4]);
    time_lives(threads);
  } else {
    time_start(begin);
  }
  MPI_Finalize();
  return 0;
}
