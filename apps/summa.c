// SPDX-License-Identifier: BSD-3-Clause
// Matrix multiplication by SUMMA on a square-like grid of ranks, whose broadcasts along rows and
// columns are made in three ways: simple (MPI_Bcast), in groups that a configuration names, and by
// the levels of the hardware. Section 7.3 of the paper on hierarchical communicators (ParCo 2018).
//
//   mpicc summa.c $(pkg-config --cflags --libs terrace-communicators)
//   mpirun -n 8 ./a.out WAY BLOCK ROUNDS [GROUPS]
//
// WAY: simple, groups (GROUPS ranks next to each other form a group, as in the paper's "x groups"),
// topological. Each rank has a block of BLOCK x BLOCK doubles of each matrix. Prints how long the
// slowest rank took, as the paper divides it, and whether the product is right.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ending.h"
#include "terrace/hierarchical.h"

/// A row or a column of the grid, and how to broadcast in it.
typedef struct Line {
  MPI_Comm comm;
  MPI_Comm group;  ///< of neighbours, for `groups`
  MPI_Comm heads;  ///< of the first ranks of the groups
  int size_of_group;
  MPIX_Hierarchy* hierarchy;  ///< for `topological`
} Line;

typedef struct Grid {
  int rows, columns, row, column;
  Line along_row, along_column;
} Grid;

/// From a root to its group's head, to all heads, to their groups: two levels, as in [23].
static void bcast_in_groups(const Line* line, double* block, int count, int root) {
  int own;
  MPI_Comm_rank(line->comm, &own);
  const int group_of_root = root / line->size_of_group;
  if (own / line->size_of_group == group_of_root)
    MPI_Bcast(block, count, MPI_DOUBLE, root % line->size_of_group, line->group);
  if (line->heads != MPI_COMM_NULL) MPI_Bcast(block, count, MPI_DOUBLE, group_of_root, line->heads);
  if (own / line->size_of_group != group_of_root)
    MPI_Bcast(block, count, MPI_DOUBLE, 0, line->group);
}

static void bcast(const Line* line, double* block, int count, int root) {
  if (line->hierarchy)
    MPIX_Hbcast(block, count, MPI_DOUBLE, root, line->hierarchy);
  else if (line->size_of_group > 0)
    bcast_in_groups(line, block, count, root);
  else
    MPI_Bcast(block, count, MPI_DOUBLE, root, line->comm);
}

static Line line_of(int color, const char* way, int size_of_group) {
  Line line = {MPI_COMM_NULL, MPI_COMM_NULL, MPI_COMM_NULL, 0, NULL};
  int own;
  MPI_Comm_split(MPI_COMM_WORLD, color, 0, &line.comm);
  MPI_Comm_rank(line.comm, &own);
  if (strcmp(way, "topological") == 0)
    MPIX_Hierarchy_create(line.comm, MPI_INFO_NULL, &line.hierarchy);
  if (strcmp(way, "groups") != 0) return line;
  line.size_of_group = size_of_group;
  MPI_Comm_split(line.comm, own / size_of_group, 0, &line.group);
  MPI_Comm_split(line.comm, own % size_of_group == 0 ? 0 : MPI_UNDEFINED, 0, &line.heads);
  return line;
}

static void free_line(Line* line) {
  MPIX_Hierarchy_free(&line->hierarchy);
  if (line->group != MPI_COMM_NULL) MPI_Comm_free(&line->group);
  if (line->heads != MPI_COMM_NULL) MPI_Comm_free(&line->heads);
  MPI_Comm_free(&line->comm);
}

/// As square as the ranks allow.
static Grid grid_of(const char* way, int size_of_group) {
  Grid grid;
  int own, ranks, sizes[2] = {0, 0};
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, sizes);
  grid.rows = sizes[0];
  grid.columns = sizes[1];
  grid.row = own / grid.columns;
  grid.column = own % grid.columns;
  grid.along_row = line_of(grid.row, way, size_of_group);
  grid.along_column = line_of(grid.column, way, size_of_group);
  return grid;
}

/// Elements of the two matrices, small whole numbers, so that sums are exact.
static double a_at(int i, int k) {
  return (i * 7 + k * 3) % 11 - 5;
}

static double b_at(int k, int j) {
  return (k * 5 + j * 2) % 13 - 6;
}

static void multiply(const double* a, const double* b, double* c, int rows, int inner,
                     int columns) {
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < inner; ++k)
      for (int j = 0; j < columns; ++j) c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
}

/// The matrices of a rank: its block of rows of A (`inner` columns are spread over the row's
/// ranks), of B, and of C. One panel of the inner dimension at a time, as many as the larger side
/// of the grid has ranks; the owner of a panel in the row and in the column sends it.
typedef struct Blocks {
  int block, panels;
  double *a, *b, *c, *panel_of_a, *panel_of_b;
} Blocks;

static int inner_of(const Grid* grid) {
  return grid->rows * grid->columns; /* a multiple of both sides, in blocks */
}

static Blocks blocks_of(const Grid* grid, int block) {
  Blocks blocks = {block, inner_of(grid), NULL, NULL, NULL, NULL, NULL};
  const size_t area = (size_t)block * (size_t)block;
  blocks.a = malloc(area * (size_t)grid->rows * sizeof(double));
  blocks.b = malloc(area * (size_t)grid->columns * sizeof(double));
  blocks.c = calloc(area, sizeof(double));
  blocks.panel_of_a = malloc(area * sizeof(double));
  blocks.panel_of_b = malloc(area * sizeof(double));
  if (!blocks.a || !blocks.b || !blocks.c || !blocks.panel_of_a || !blocks.panel_of_b)
    die("summa", "no memory for the blocks: ask for smaller ones");
  return blocks;
}

/// Panel p of A belongs to the rank p % columns of each row, panel p of B to p % rows of a column.
static void fill(const Grid* grid, Blocks* blocks) {
  const int n = blocks->block;
  for (int p = grid->column, held = 0; p < blocks->panels; p += grid->columns, ++held)
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k)
        blocks->a[(held * n + i) * n + k] = a_at(grid->row * n + i, p * n + k);
  for (int p = grid->row, held = 0; p < blocks->panels; p += grid->rows, ++held)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        blocks->b[(held * n + k) * n + j] = b_at(p * n + k, grid->column * n + j);
}

/// Adds the product to C; the seconds of talking and of computing go to `seconds`.
static void run(const Grid* grid, Blocks* blocks, double seconds[2]) {
  const int n = blocks->block, area = n * n;
  for (int p = 0; p < blocks->panels; ++p) {
    const double begin = MPI_Wtime();
    const int from_column = p % grid->columns, from_row = p % grid->rows;
    if (grid->column == from_column)
      memcpy(blocks->panel_of_a, blocks->a + p / grid->columns * area,
             (size_t)area * sizeof(double));
    if (grid->row == from_row)
      memcpy(blocks->panel_of_b, blocks->b + p / grid->rows * area, (size_t)area * sizeof(double));
    bcast(&grid->along_row, blocks->panel_of_a, area, from_column);
    bcast(&grid->along_column, blocks->panel_of_b, area, from_row);
    const double talked = MPI_Wtime();
    multiply(blocks->panel_of_a, blocks->panel_of_b, blocks->c, n, n, n);
    seconds[0] += talked - begin;
    seconds[1] += MPI_Wtime() - talked;
  }
}

/// How many elements of C differ from those of a serial product, after `rounds` of it.
static int wrong_elements(const Grid* grid, const Blocks* blocks, int rounds) {
  const int n = blocks->block;
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < blocks->panels * n; ++k)
        sum += a_at(grid->row * n + i, k) * b_at(k, grid->column * n + j);
      if (blocks->c[i * n + j] != sum * rounds) ++wrong;
    }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return wrong;
}

static int number_from(const char* text, int most) {
  const int number = atoi(text);
  if (number < 1 || number > most)
    refuse("summa", "a number is out of range: see the head of summa.c");
  return number;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 4 || (strcmp(argv[1], "groups") == 0) != (argc == 5) ||
      (strcmp(argv[1], "simple") && strcmp(argv[1], "groups") && strcmp(argv[1], "topological")))
    return refuse("summa",
                  "expected simple|topological BLOCK ROUNDS, or groups BLOCK ROUNDS GROUPS");
  const int block = number_from(argv[2], 4096), rounds = number_from(argv[3], 1000000);
  Grid grid = grid_of(argv[1], argc == 5 ? number_from(argv[4], 1000000) : 0);
  Blocks blocks = blocks_of(&grid, block);
  double seconds[2] = {0, 0};
  int own;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  fill(&grid, &blocks);
  for (int round = 0; round < rounds; ++round) run(&grid, &blocks, seconds);
  MPI_Allreduce(MPI_IN_PLACE, seconds, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const int wrong = wrong_elements(&grid, &blocks, rounds);
  if (own == 0) {
    printf("summa %s: %d x %d ranks, block %d: talking %.3f us, computing %.3f us\n", argv[1],
           grid.rows, grid.columns, block, seconds[0] / rounds * 1e6, seconds[1] / rounds * 1e6);
    printf("all right %d\n", wrong);
  }
  free_line(&grid.along_row);
  free_line(&grid.along_column);
  free(blocks.a);
  free(blocks.b);
  free(blocks.c);
  free(blocks.panel_of_a);
  free(blocks.panel_of_b);
  MPI_Finalize();
  return wrong > 0;
}
