/* SPDX-License-Identifier: BSD-3-Clause
 * Ranks that keep each other from running if they share a kernel thread: they sleep, spin on memory
 * that another rank writes, read from a pipe that another one fills, wait for children and threads
 * of their own. Rank 0 prints "right". `obstruct stack`: a rank uses more stack than there is. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, ranks, faults;

static void check(int holds, const char* what) {
  if (holds) return;
  ++faults;
  fprintf(stderr, "rank %d of %d: %s\n", rank, ranks, what);
}

static void meet(void) {
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(sum == ranks * (ranks - 1) / 2, "the sum is another");
}

static void sleep_in_turn(void) {
  for (int turn = 0; turn < 2 * ranks; ++turn) {
    if (turn % ranks == rank) usleep(3000);
    meet();
  }
}

/* A word that all ranks see, as they share memory. */
static volatile int* shared_word(void) {
  uint64_t address = 0;
  if (rank == 0) address = (uintptr_t)calloc(1, sizeof(int));
  MPI_Bcast(&address, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  return (volatile int*)(uintptr_t)address;
}

/* Each rank but the last spins until the next one has been there. */
static void spin_in_turn(void) {
  volatile int* const word = shared_word();
  meet();
  while (*word != ranks - 1 - rank) {
  }
  *word = ranks - rank;
  meet();
}

static void fill_a_pipe(void) {
  int ends[2] = {-1, -1};
  char letter = '?';
  if (rank == 0) check(pipe(ends) == 0, "there is no pipe");
  MPI_Bcast(ends, 2, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) check(read(ends[0], &letter, 1) == 1 && letter == 'x', "the pipe is empty");
  if (rank == 1) {
    usleep(20000);
    check(write(ends[1], "x", 1) == 1, "the pipe is full");
  }
  meet();
}

static void wait_for_a_child(void) {
  int status = -1;
  const pid_t child = fork();
  if (child == 0) {
    usleep(2000);
    _exit(rank % 100);
  }
  check(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == rank % 100,
        "the child ended otherwise");
  meet();
}

static void* sleep_and_answer(void* what) {
  usleep(2000);
  *(int*)what = rank;
  return what;
}

static void wait_for_a_thread(void) {
  pthread_t thread;
  int answer = -1;
  void* end = NULL;
  check(pthread_create(&thread, NULL, sleep_and_answer, &answer) == 0, "there is no thread");
  check(pthread_join(thread, &end) == 0 && end == &answer && answer == rank,
        "the thread answers otherwise");
  meet();
}

/* Ranks that wait for others in a barrier have to take in long messages meanwhile. */
static void receive_in_a_barrier(void) {
  enum { kLong = 1 << 20 };
  char* const bytes = malloc(kLong);
  MPI_Request request = MPI_REQUEST_NULL;
  for (int turn = 0; turn < 20; ++turn) {
    const int from = turn % ranks, to = (turn + ranks / 2) % ranks;
    if (rank == to && to != from)
      MPI_Irecv(bytes, kLong, MPI_CHAR, from, turn, MPI_COMM_WORLD, &request);
    if (rank == from && to != from) MPI_Ssend(bytes, kLong, MPI_CHAR, to, turn, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  free(bytes);
}

/* ... and pending collectives that the others wait for. */
static void reduce_in_a_barrier(void) {
  for (int turn = 0; turn < 20; ++turn) {
    int sum = 0;
    MPI_Request request;
    MPI_Iallreduce(&turn, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    if (rank == turn % ranks) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank != turn % ranks) MPI_Barrier(MPI_COMM_WORLD);
    check(sum == turn * ranks, "the pending sum is another");
  }
}

static void poll_for_messages(void) {
  const int next = (rank + 1) % ranks;
  for (int turn = 0; turn < 100; ++turn) {
    int got = -1, is_there = 0;
    MPI_Request requests[2];
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, turn, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&turn, 1, MPI_INT, next, turn, MPI_COMM_WORLD, &requests[1]);
    while (!is_there) MPI_Testall(2, requests, &is_there, MPI_STATUSES_IGNORE);
    check(got == turn, "another message came");
  }
}

/* The frame begins far below the end of the stack, behind what lies there. */
static int __attribute__((noinline)) use_more_stack(size_t bytes) {
  volatile char frame[bytes];
  for (size_t at = 0; at < bytes; at += 4096) frame[at] = (char)at;
  return frame[bytes / 2];
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  if (count > 1) return use_more_stack((size_t)1 << 30);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  sleep_in_turn();
  spin_in_turn();
  fill_a_pipe();
  wait_for_a_child();
  wait_for_a_thread();
  poll_for_messages();
  receive_in_a_barrier();
  reduce_in_a_barrier();
  int all = 0;
  MPI_Reduce(&faults, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0) printf(all == 0 ? "right\n" : "%d faults\n", all);
  return faults != 0;
}
