// SPDX-License-Identifier: BSD-3-Clause
// Hierarchical processing of vectors, algorithm 5 of the paper on hierarchical communicators (ParCo
// 2018, section 7.4): at each level, from the innermost, the vectors of a group are gathered at its
// root, which adds them up, with its own local vector, and divides by how many there are.
//
//   mpicc vectors.c $(pkg-config --cflags --libs terrace-communicators)
//   mpirun -n 8 ./a.out COUNT ROUNDS topological
//   mpirun -n 8 ./a.out COUNT ROUNDS 2,2,2     groups of so many ranks, the outermost level first
//
// With the levels of the hardware, or with others that a user gives, whose product is the number of
// ranks (the paper's conf1 to conf4 on 576 ranks: 3,4,2,3,8; 6,2,2,3,8; 3,2,2,8,6; 3,2,4,6,4).
// Prints how long the slowest rank took, and whether the result is that of a serial run.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ending.h"
#include "terrace/hierarchical.h"

#define MOST_LEVELS 16

static int own, ranks;

/// A gather is called for the innermost level first.
typedef struct Level {
  MPI_Comm comm;  ///< MPI_COMM_NULL at ranks that others stand for
} Level;

typedef struct Levels {
  int count;
  Level level[MOST_LEVELS];  ///< the outermost first
} Levels;

/// 2,2,2 on 8 ranks: level 2 joins neighbours, level 1 every second of them, level 0 every fourth.
static Levels levels_from(const char* text) {
  Levels levels = {0, {{MPI_COMM_NULL}}};
  int sizes[MOST_LEVELS], product = 1;
  for (const char* at = text; *at && levels.count < MOST_LEVELS; at += strcspn(at, ",")) {
    if (*at == ',') ++at;
    sizes[levels.count] = atoi(at);
    if (sizes[levels.count] < 1)
      refuse("vectors", "expected sizes of groups, as in 2,2,2, or topological");
    product *= sizes[levels.count++];
  }
  if (product != ranks) refuse("vectors", "the product of the sizes is not the number of ranks");
  for (int level = levels.count - 1, below = 1; level >= 0; --level) {
    const int color = own % below == 0 ? own / (below * sizes[level]) : MPI_UNDEFINED;
    MPI_Comm_split(MPI_COMM_WORLD, color, 0, &levels.level[level].comm);
    below *= sizes[level];
  }
  return levels;
}

/// Those of the hardware: `hierarchy` keeps the communicators.
static Levels levels_of(const MPIX_Hierarchy* hierarchy) {
  Levels levels = {hierarchy->levels, {{MPI_COMM_NULL}}};
  if (levels.count > MOST_LEVELS)
    die("vectors", "the machine has more levels than this program expects");
  for (int i = 0; i < levels.count; ++i) levels.level[i].comm = hierarchy->level[i].step;
  return levels;
}

/// The vector that a rank brings, and the one that it adds at each level.
static double input_at(int rank, int i) {
  return (rank * 31 + i * 7) % 101;
}

static double local_at(int rank, int i) {
  return (rank * 13 + i * 3) % 17;
}

/// `func` of the paper: adds up vectors and a local one, and divides by how many there were.
static void process(const double* vectors, int vector_count, int count, int rank, double* result) {
  for (int i = 0; i < count; ++i) {
    double sum = local_at(rank, i);
    for (int k = 0; k < vector_count; ++k) sum += vectors[(size_t)k * (size_t)count + (size_t)i];
    result[i] = sum / (vector_count + 1);
  }
}

/// Algorithm 5. Rank 0 has the result at the end; `room` is for all vectors of a group.
static void run(const Levels* levels, double* result, double* room, int count) {
  for (int i = 0; i < count; ++i) result[i] = input_at(own, i);
  for (int level = levels->count - 1; level >= 0; --level) {
    const MPI_Comm comm = levels->level[level].comm;
    int rank, size;
    if (comm == MPI_COMM_NULL) continue;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Gather(result, count, MPI_DOUBLE, room, count, MPI_DOUBLE, 0, comm);
    if (rank == 0) process(room, size, count, own, result);
  }
}

/// Which ranks of the whole job are in a rank's communicator of each level, told to rank 0 without
/// the gathers that are to be checked: entry (level, rank) is the lowest rank there, or -1.
static int* roots_by_level(const Levels* levels, int most) {
  int* const mine = malloc((size_t)most * sizeof(int));
  int* const all = malloc((size_t)most * (size_t)ranks * sizeof(int));
  if (!mine || !all) die("vectors", "no memory");
  for (int level = 0; level < most; ++level) {
    mine[level] = -1;
    if (level >= levels->count || levels->level[level].comm == MPI_COMM_NULL) continue;
    MPI_Allreduce(&own, &mine[level], 1, MPI_INT, MPI_MIN, levels->level[level].comm);
  }
  MPI_Gather(mine, most, MPI_INT, all, most, MPI_INT, 0, MPI_COMM_WORLD);
  free(mine);
  return all;
}

/// The same at one rank, from all inputs: compares with `result`. Ranks of a communicator are those
/// with its root, in ascending order.
static int wrong_elements(const int* roots, int most, const double* result, int count) {
  double* const vectors = malloc((size_t)ranks * (size_t)count * sizeof(double));
  double* const gathered = malloc((size_t)ranks * (size_t)count * sizeof(double));
  if (!vectors || !gathered) die("vectors", "no memory for a serial run");
  int wrong = 0;
  for (int rank = 0; rank < ranks; ++rank)
    for (int i = 0; i < count; ++i)
      vectors[(size_t)rank * (size_t)count + (size_t)i] = input_at(rank, i);
  for (int level = most - 1; level >= 0; --level)
    for (int root = 0; root < ranks; ++root) {
      int size = 0;
      if (roots[root * most + level] != root) continue;
      for (int rank = 0; rank < ranks; ++rank)
        if (roots[rank * most + level] == root)
          memcpy(gathered + (size_t)size++ * (size_t)count, vectors + (size_t)rank * (size_t)count,
                 (size_t)count * sizeof(double));
      process(gathered, size, count, root, vectors + (size_t)root * (size_t)count);
    }
  for (int i = 0; i < count; ++i) wrong += result[i] != vectors[i];
  free(vectors);
  free(gathered);
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int count = argc == 4 ? atoi(argv[1]) : 0, rounds = argc == 4 ? atoi(argv[2]) : 0;
  if (count < 1 || rounds < 1)
    return refuse("vectors", "expected COUNT ROUNDS topological, or ... 2,2,2");
  MPIX_Hierarchy* hierarchy = NULL;
  const int is_topological = strcmp(argv[3], "topological") == 0;
  if (is_topological) MPIX_Hierarchy_create(MPI_COMM_WORLD, MPI_INFO_NULL, &hierarchy);
  Levels levels = is_topological ? levels_of(hierarchy) : levels_from(argv[3]);
  double* const result = malloc((size_t)count * sizeof(double));
  double* const room = malloc((size_t)count * (size_t)ranks * sizeof(double));
  if (!result || !room) return die("vectors", "no memory for the vectors: ask for shorter ones");
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = MPI_Wtime();
  for (int round = 0; round < rounds; ++round) run(&levels, result, room, count);
  seconds = MPI_Wtime() - seconds;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  int most = levels.count;
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  int* const roots = roots_by_level(&levels, most);
  int wrong = own == 0 ? wrong_elements(roots, most, result, count) : 0;
  MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (own == 0) {
    printf("vectors %s: %d levels, %d doubles: %.3f us\n", argv[3], most, count,
           seconds / rounds * 1e6);
    printf("all right %d\n", wrong);
  }
  for (int i = 0; i < levels.count && !is_topological; ++i)
    if (levels.level[i].comm != MPI_COMM_NULL) MPI_Comm_free(&levels.level[i].comm);
  MPIX_Hierarchy_free(&hierarchy);
  free(roots);
  free(result);
  free(room);
  MPI_Finalize();
  return wrong > 0;
}
