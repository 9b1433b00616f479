// SPDX-License-Identifier: BSD-3-Clause
// How the applications end when they cannot go on: with a sentence, and all ranks.
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/// What one rank meets.
static inline int die(const char* program, const char* sentence) {
  fprintf(stderr, "%s: %s\n", program, sentence);
  MPI_Abort(MPI_COMM_WORLD, 2);
  return 2;
}

/// What all ranks meet: rank 0 speaks for them. They end in order, as launchers that abort a job
/// may lose what was said.
static inline int refuse(const char* program, const char* sentence) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) fprintf(stderr, "%s: %s\n", program, sentence);
  MPI_Finalize();
  exit(2);
}
