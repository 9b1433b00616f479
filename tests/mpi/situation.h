// SPDX-License-Identifier: BSD-3-Clause
// What programs share that play situations, one by name: who they are, what is expected, and how
// they begin and end.
#pragma once
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size, failures;

#define EXPECT(what)                                                            \
  do {                                                                          \
    if (!(what) && failures++ < 5)                                              \
      fprintf(stderr, "rank %d, line %d: not so: %s\n", rank, __LINE__, #what); \
  } while (0)

struct situation {
  const char* name;
  void (*run)(void);
};

/// Enough calls for Terrace to be at work, on whatever communicator.
static inline void use(MPI_Comm comm) {
  int n;
  MPI_Comm_size(comm, &n);
  for (int i = 0; i < 24; ++i) {
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    EXPECT(sum == n);
  }
}

/// A type of numbers that lie `spacing` apart.
static inline MPI_Datatype new_type(int spacing) {
  MPI_Datatype spaced;
  MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)sizeof(int) * spacing, &spaced);
  MPI_Type_commit(&spaced);
  return spaced;
}

static inline void begin(void) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/// Says how many results are wrong on all ranks.
static inline int sum_up(void) {
  int all = 0;
  PMPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf(all ? "%d results are wrong\n" : "all right %d\n", all);
  return all;
}

/// From MPI's beginning to its end: plays the situations that the command line names.
static inline int play(int argc, char** argv, const struct situation* situations, size_t count) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  begin();
  for (int word = 1; word < argc; ++word)
    for (size_t i = 0; i < count; ++i)
      if (strcmp(argv[word], situations[i].name) == 0) situations[i].run();
  const int wrong = sum_up();
  MPI_Finalize();
  return wrong != 0;
}

#define PLAY(argc, argv, situations) \
  play(argc, argv, situations, sizeof(situations) / sizeof *(situations))
