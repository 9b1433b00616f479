// SPDX-License-Identifier: BSD-3-Clause
// Dense matrix-vector multiplication, the first application of the paper on collectives (HPDC 2013,
// section 3.7): the columns of a matrix are scattered once; in each iteration the vector is
// broadcast, each rank multiplies its columns with its part of it, and a reduction adds up the
// products. The paper: 128 iterations with a matrix of 49152 x 49152.
//
//   mpicc -O2 matvec.c
//   mpirun -n 8 ./a.out SIZE ITERATIONS
//
// The vector of the next iteration is the product, modulo a prime. All numbers are whole and small,
// so sums are exact in any order, and whatever goes wrong in one iteration shows in the last.
// Prints how long the slowest rank took for what, and whether the last vector is that of a serial
// run.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ending.h"

#define PRIME 251

static int own, ranks;

static double element_at(size_t row, size_t column) {
  return (double)((row * 7 + column * 13 + row * column) % 9) - 4;
}

/// Rank 0's: column after column, as they are scattered. Those beyond the size are zeros, so that
/// each rank gets as many.
static double* matrix_of(int size, int columns) {
  double* const matrix = calloc((size_t)size * (size_t)columns, sizeof(double));
  if (!matrix) die("matvec", "no memory for the matrix: ask for a smaller one");
  for (size_t column = 0; column < (size_t)size; ++column)
    for (size_t row = 0; row < (size_t)size; ++row)
      matrix[column * (size_t)size + row] = element_at(row, column);
  return matrix;
}

/// sum = columns * part.
static void multiply(const double* columns, const double* part, int count, double* sum, int size) {
  memset(sum, 0, (size_t)size * sizeof(double));
  for (int j = 0; j < count; ++j) {
    const double* const column = columns + (size_t)j * (size_t)size;
    for (int i = 0; i < size; ++i) sum[i] += column[i] * part[j];
  }
}

/// The vector that an iteration begins with, from the product that the one before it made.
static void next(const double* product, double* vector, int size) {
  for (int i = 0; i < size; ++i) vector[i] = (double)((long)product[i] % PRIME);
}

static void begin(double* vector, int size) {
  for (int i = 0; i < size; ++i) vector[i] = (i * 31 + 1) % PRIME;
}

/// A rank's part of the work, and what it took.
typedef struct Part {
  int size, count;  ///< of the matrix; of the rank's columns
  double* columns;
  double* vector;                         ///< as many numbers as all ranks have columns
  double* sum;                            ///< of the rank's columns
  double* product;                        ///< rank 0's
  double scattering, talking, computing;  ///< seconds
} Part;

static double* numbers(int count) {
  double* const room = calloc((size_t)count, sizeof(double));
  if (!room) die("matvec", "no memory for a rank's part: ask for a smaller matrix");
  return room;
}

static Part part_of(int size) {
  const int count = (size + ranks - 1) / ranks;
  if ((long)size * count > 2000000000)
    refuse("matvec", "a rank's part has too many numbers: ask for more ranks or a smaller matrix");
  return (Part){
      size, count, numbers(size * count), numbers(count * ranks), numbers(size), numbers(size), 0,
      0,    0};
}

static void scatter(Part* part, const double* matrix) {
  const int count = part->size * part->count;
  MPI_Barrier(MPI_COMM_WORLD);
  const double before = MPI_Wtime();
  MPI_Scatter(matrix, count, MPI_DOUBLE, part->columns, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  part->scattering = MPI_Wtime() - before;
}

static void iterate(Part* part) {
  const double at_first = MPI_Wtime();
  MPI_Bcast(part->vector, part->size, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  const double before = MPI_Wtime();
  multiply(part->columns, part->vector + own * part->count, part->count, part->sum, part->size);
  const double after = MPI_Wtime();
  MPI_Reduce(part->sum, part->product, part->size, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (own == 0) next(part->product, part->vector, part->size);
  part->computing += after - before;
  part->talking += MPI_Wtime() - after + before - at_first;
}

/// Rank 0 does all by itself.
static int wrong_elements(const double* result, const double* matrix, int size, int iterations) {
  double* const vector = numbers(size);
  double* const product = numbers(size);
  int wrong = 0;
  begin(vector, size);
  for (int i = 0; i < iterations; ++i) {
    multiply(matrix, vector, size, product, size);
    next(product, vector, size);
  }
  for (int i = 0; i < size; ++i) wrong += result[i] != vector[i];
  free(vector);
  free(product);
  return wrong;
}

static int number_from(const char* text, int most) {
  char* end;
  const long number = strtol(text, &end, 10);
  if (*end || number < 1 || number > most)
    refuse("matvec", "expected SIZE of 1 to 100000 and ITERATIONS of 1 to 1000000");
  return (int)number;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) return refuse("matvec", "expected SIZE ITERATIONS, as in 1000 128");
  const int size = number_from(argv[1], 100000), iterations = number_from(argv[2], 1000000);
  Part part = part_of(size);
  double* const matrix = own == 0 ? matrix_of(size, part.count * ranks) : NULL;
  scatter(&part, matrix);
  if (own == 0) begin(part.vector, size);
  for (int i = 0; i < iterations; ++i) iterate(&part);
  double seconds[3] = {part.scattering, part.talking / iterations, part.computing / iterations};
  MPI_Allreduce(MPI_IN_PLACE, seconds, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  int wrong = own == 0 ? wrong_elements(part.vector, matrix, size, iterations) : 0;
  MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (own == 0) {
    printf(
        "matvec: %d ranks, size %d, %d iterations: scatter %.3f us, then each iteration"
        " talking %.3f us, computing %.3f us\n",
        ranks, size, iterations, seconds[0] * 1e6, seconds[1] * 1e6, seconds[2] * 1e6);
    printf("all right %d\n", wrong);
  }
  free(matrix);
  free(part.columns);
  free(part.vector);
  free(part.sum);
  free(part.product);
  MPI_Finalize();
  return wrong > 0;
}
