// SPDX-License-Identifier: BSD-3-Clause
// What programs do besides calling MPI: each word of the command line is a way to live.
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char** arguments;
static int rank, size, failures;

static int has(const char* word) {
  for (char** argument = arguments + 1; *argument; ++argument)
    if (strcmp(*argument, word) == 0) return 1;
  return 0;
}

/// More than the calls that come before a team.
static void call_on(MPI_Comm comm) {
  for (int i = 0; i < 12; ++i) {
    int sum = 0, given = rank + i;
    MPI_Allreduce(&given, &sum, 1, MPI_INT, MPI_SUM, comm);
    failures += sum != size * (size - 1) / 2 + i * size;
    MPI_Barrier(comm);
  }
}

static void finalize(void) {
  int all = 0;
  PMPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf(all ? "%d results are wrong\n" : "all right %d\n", all);
  MPI_Finalize();
}

static void end_in_handler(void) {
  int is_initialized = 0;
  MPI_Initialized(&is_initialized);
  if (!is_initialized) return;  // another process of this test
  call_on(MPI_COMM_WORLD);
  MPI_Comm late;
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &late);  // gets a team now
  call_on(late);
  MPI_Comm_free(&late);
  finalize();
}

/// Runs after all handlers of atexit, and, like them, in each process that returns from main.
__attribute__((destructor)) static void end_in_destructor(void) {
  if (arguments && has("destructor")) end_in_handler();
}

static void expect_success_of(pid_t child) {
  int status = -1;
  failures += child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

/// Children that go in each of the ways in which children go, while the team is at work.
static void fork_children(void) {
  for (int way = 0; way < 3; ++way) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0 && way == 0) _exit(0);
    if (child == 0 && way == 1) {  // its copy of the team's mapping goes
      usleep(20000);
      _exit(0);
    }
    if (child == 0) {
      execlp("true", "true", (char*)NULL);
      _exit(1);
    }
    call_on(MPI_COMM_WORLD);
    expect_success_of(child);
  }
}

/// Programs without MPI, and this one, which then does not begin MPI, in the same environment.
static void start_others(void) {
  char command[4096];
  snprintf(command, sizeof command, "exec '%s' never > /dev/null", arguments[0]);
  failures += system("true") != 0;
  failures += system(command) != 0;
  FILE* pipe = popen("echo of others", "r");
  char line[64] = "";
  failures += pipe == NULL || fgets(line, sizeof line, pipe) == NULL || pclose(pipe) != 0;
  failures += strcmp(line, "of others\n") != 0;
}

static MPI_Comm duplicates[3];
static void* call_from_thread(void* comm) {
  call_on(*(MPI_Comm*)comm);
  return NULL;
}

/// Threads that each have a communicator; no call comes from the one that began MPI.
static void call_from_threads(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &duplicates[i]);
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, call_from_thread, &duplicates[i]);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < 3; ++i) MPI_Comm_free(&duplicates[i]);
}

int main(int argc, char** argv) {
  (void)argc;
  arguments = argv;
  if (has("never")) return printf("all right 0\n") < 0;
  if (has("becomes")) {  // as wrappers do, before anything of MPI has begun
    char* const words[] = {argv[0], "plain", NULL};
    execv("/proc/self/exe", words);
  }
  int provided = MPI_THREAD_SINGLE;
  if (has("early_handler")) atexit(end_in_handler);
  MPI_Init_thread(NULL, NULL, has("threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (has("late_handler")) atexit(end_in_handler);
  if (has("threads") && provided == MPI_THREAD_MULTIPLE) call_from_threads();
  call_on(MPI_COMM_WORLD);
  if (has("fork")) fork_children();
  if (has("starts")) start_others();
  call_on(MPI_COMM_WORLD);
  if (!has("early_handler") && !has("late_handler") && !has("destructor")) finalize();
  return failures != 0;
}
