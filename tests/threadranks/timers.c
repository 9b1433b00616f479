/* SPDX-License-Identifier: BSD-3-Clause
 * Two ranks handle the signal of rank 0's timer, and the others do not, while all compute: the
 * system delivers such a signal in any thread. Rank 0 prints "right", and leaves a timer running
 * that is no one's any more. */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "expect.h"

static volatile sig_atomic_t signals;

static void count(int signal) {
  (void)signal;
  signals = signals + 1;
}

static void handle_one_signal(void) {
  struct sigaction once;
  memset(&once, 0, sizeof once);
  once.sa_handler = count;
  once.sa_flags = (int)SA_RESETHAND;
  EXPECT(sigaction(SIGUSR1, &once, NULL) == 0);
  raise(SIGUSR1);
  EXPECT(signals == 1);
  signals = 0;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static timer_t begin_timer(void) {
  const struct itimerspec every = {{0, 2000000}, {0, 2000000}};
  struct sigevent event;
  timer_t timer;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGUSR1;
  EXPECT(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  EXPECT(timer_settime(timer, 0, &every, NULL) == 0);
  return timer;
}

int main(int argc, char** argv) {
  timer_t timer = NULL;
  double begin;
  int all_right = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  EXPECT(ranks == 4);
  /* Handlers for another signal do not count, nor those that were for one signal alone. */
  signal(rank < 2 ? SIGUSR1 : SIGUSR2, count);
  if (rank == 3) handle_one_signal();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) timer = begin_timer();
  /* Long enough for each rank, however busy the machine is. */
  begin = now();
  while (now() < begin + 0.2 || (rank < 2 && signals == 0 && now() < begin + 20)) continue;
  EXPECT((signals > 0) == (rank < 2));
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) timer_delete(timer);
  MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) printf(all_right ? "right\n" : "wrong\n");
  MPI_Finalize();
  if (rank == 0) begin_timer();
  begin = now();
  while (rank >= 2 && now() < begin + 0.1) continue;
  return 0;
}
