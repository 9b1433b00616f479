// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 forks while others open a library, whose constructor takes its time. The child opens it,
// too.
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kLooks = 1000, kBetweenLooks = 10000, kHeadStart = 100000 };

/// Whether a child that opens the library ends within ten seconds.
static int child_ends(const char* library) {
  const pid_t child = fork();
  if (child == 0) _exit(dlopen(library, RTLD_NOW) != NULL ? 0 : 3);
  int status = -1;
  for (int look = 0; look < kLooks; ++look, usleep(kBetweenLooks))
    if (waitpid(child, &status, WNOHANG) == child) return status == 0;
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return 0;
}

int main(int argc, char** argv) {
  int rank = 0;
  if (argc < 2) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    printf(dlopen(argv[1], RTLD_NOW) != NULL ? "right\n" : "not opened\n");
  } else {
    usleep(kHeadStart);
    printf(child_ends(argv[1]) ? "right\n" : "the child hangs\n");
  }
  MPI_Finalize();
  return 0;
}
