/* SPDX-License-Identifier: BSD-3-Clause
 * What the kernel keeps for a thread is each rank's own, even if a kernel thread runs several
 * ranks: signals, masks, directories, standard output, cores. Rank 0 prints "right". With
 * `threads`, ranks only ask for MPI_THREAD_MULTIPLE. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks, faults;
static volatile sig_atomic_t signals;

static void check(int holds, const char* what) {
  if (holds) return;
  ++faults;
  fprintf(stderr, "rank %d of %d: %s\n", rank, ranks, what);
}

static void handle(int signal) {
  (void)signal;
  ++signals;
}

static void* send_signal(void* thread) {
  usleep(2000);
  pthread_kill(*(pthread_t*)thread, SIGUSR2);
  return NULL;
}

/* Each rank waits in MPI until its own thread has sent it a signal. */
static void get_signals(void) {
  pthread_t self = pthread_self(), sender;
  int is_there = 0;
  signal(SIGUSR2, handle);
  check(pthread_create(&sender, NULL, send_signal, &self) == 0, "there is no thread");
  while (signals == 0) MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
  pthread_join(sender, NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  check(signals == 1, "another rank's signal came");
  kill(getpid(), SIGUSR2);
  check(signals == 2, "its own signal did not come");
  MPI_Barrier(MPI_COMM_WORLD);
}

static void mask_signals(void) {
  sigset_t one, now;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  if (rank % 2 == 1) pthread_sigmask(SIG_BLOCK, &one, NULL);
  for (int turn = 0; turn < 20; ++turn) {
    MPI_Barrier(MPI_COMM_WORLD);
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    check(sigismember(&now, SIGUSR1) == rank % 2, "the mask is another rank's");
  }
}

static void change_directory(void) {
  const char* const wanted = rank % 4 == 1 ? "/" : "/proc";
  char before[4096], now[4096];
  check(getcwd(before, sizeof before) != NULL, "there is no directory");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank % 4 == 1 || rank % 4 == 3) check(chdir(wanted) == 0, "the directory is not there");
  for (int turn = 0; turn < 20; ++turn) {
    MPI_Barrier(MPI_COMM_WORLD);
    check(getcwd(now, sizeof now) != NULL && strcmp(now, rank % 2 == 1 ? wanted : before) == 0,
          "the directory is another rank's");
  }
}

/* The last rank writes elsewhere. */
static void change_output(void) {
  if (rank == ranks - 1) {
    const int nothing = open("/dev/null", O_WRONLY);
    check(dup2(nothing, STDOUT_FILENO) == STDOUT_FILENO, "there is no output");
    close(nothing);
    printf("not to be seen\n");
    fflush(stdout);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void bind_to_one_core(void) {
  cpu_set_t set, now;
  check(sched_getaffinity(0, sizeof set, &set) == 0, "there is no core");
  const int core = sched_getcpu();
  check(CPU_ISSET(core, &set), "it runs where it may not");
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  if (rank % 3 == 0) check(sched_setaffinity(0, sizeof set, &set) == 0, "it cannot be bound");
  for (int turn = 0; turn < 20; ++turn) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank % 3 != 0) continue;
    check(sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&set, &now) &&
              sched_getcpu() == core,
          "it is bound elsewhere");
  }
}

/* For all ranks at once, and nothing else than before. */
static void change_user(void) {
  check(setuid(getuid()) == 0 && seteuid(geteuid()) == 0 && setgid(getgid()) == 0,
        "the user cannot be who it is");
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int count, char** words) {
  if (count > 1 && !strcmp(words[1], "threads")) {
    MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
  }
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  get_signals();
  mask_signals();
  change_directory();
  change_output();
  bind_to_one_core();
  change_user();
  int all = 0;
  MPI_Reduce(&faults, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0) printf(all == 0 ? "right\n" : "%d faults\n", all);
  return faults != 0;
}
