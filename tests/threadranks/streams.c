/* SPDX-License-Identifier: BSD-3-Clause
 * streams HOW: each rank leaves streams open and ends by return, by exit in another thread (exit),
 * by _exit (now), or has closed its output first (closed) or made it a file (reopened). Its files
 * and output are for run.py to look at. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "expect.h"

enum { kFiles = 40 };

static FILE* open_file(int number) {
  char name[64];
  snprintf(name, sizeof name, "left_open.%d.%d", rank, number);
  FILE* const file = fopen(name, "w");
  EXPECT(file != NULL);
  return file;
}

static long bytes_of(FILE* file) {
  struct stat about;
  return fstat(fileno(file), &about) == 0 ? (long)about.st_size : -1;
}

static ssize_t write_of_cookie(void* cookie, const char* from, size_t bytes) {
  (void)from;
  return write(*(int*)cookie, "by a cookie\n", 12) == 12 ? (ssize_t)bytes : -1;
}

/* Rank 0 writes out all of its own, and none of another's. */
static void write_out(FILE* file) {
  EXPECT(fputs("line\n", file) > 0 && bytes_of(file) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) EXPECT(fflush(NULL) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT(bytes_of(file) == (rank == 0 ? 5 : 0));
}

/* Into a file, as programs do with one output for each rank, and while others print. */
static void reopen(void) {
  char name[64];
  snprintf(name, sizeof name, "reopened.%d", rank);
  EXPECT(freopen(name, "w", stdout) == stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("printed by %d\n", rank);
}

static void* leave(void* unused) {
  (void)unused;
  exit(0);
}

int main(int argc, char** argv) {
  static int output = STDOUT_FILENO;
  FILE* files[kFiles];
  pthread_t thread;
  const char* const how = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < kFiles; ++i) files[i] = open_file(i);
  write_out(files[0]);
  for (int i = 1; i < kFiles; ++i) EXPECT(fprintf(files[i], "file %d", i) > 0);
  for (int i = 1; i < kFiles; i += 3) EXPECT(fclose(files[i]) == 0);
  const cookie_io_functions_t functions = {NULL, write_of_cookie, NULL, NULL};
  EXPECT(fputs("text", fopencookie(&output, "w", functions)) > 0);
  FILE* const temporary = tmpfile();
  EXPECT(temporary != NULL && fputs("text", temporary) > 0 && fclose(temporary) == 0);
  FILE* const by_number = fdopen(dup(STDOUT_FILENO), "w");
  EXPECT(by_number != NULL && fputs("by its number\n", by_number) > 0);
  if (strcmp(how, "reopened") == 0) reopen();
  printf("output, no end");
  MPI_Finalize();
  if (strcmp(how, "now") == 0) _exit(0);
  if (strcmp(how, "closed") == 0) {
    EXPECT(fclose(stdout) == 0 && fclose(stdin) == 0);
    EXPECT(puts("to nobody") < 0 || fflush(stdout) != 0);
  }
  if (strcmp(how, "exit") == 0 && pthread_create(&thread, NULL, leave, NULL) == 0)
    for (;;) pause();
  return right ? 0 : 1;
}
