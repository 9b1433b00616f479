/* SPDX-License-Identifier: BSD-3-Clause */
/* FFTW's MPI planner makes and frees a communicator for many of the plans that it times. Prints the
 * milliseconds of planning, and whether a transform there and back gives the input again. */
#include <fftw3-mpi.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double value_at(ptrdiff_t i) {
  return (double)(i % 17) - 8.0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  const ptrdiff_t n = argc > 1 ? atoi(argv[1]) : 256;
  ptrdiff_t rows, first;
  const ptrdiff_t elements = fftw_mpi_local_size_2d(n, n, MPI_COMM_WORLD, &rows, &first);
  fftw_complex* data = fftw_alloc_complex((size_t)elements);

  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  fftw_plan there =
      fftw_mpi_plan_dft_2d(n, n, data, data, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_MEASURE);
  fftw_plan back =
      fftw_mpi_plan_dft_2d(n, n, data, data, MPI_COMM_WORLD, FFTW_BACKWARD, FFTW_MEASURE);
  MPI_Barrier(MPI_COMM_WORLD);
  const double ms = 1e3 * (MPI_Wtime() - start);

  for (ptrdiff_t i = 0; i < rows * n; ++i) {
    data[i][0] = value_at(i);
    data[i][1] = 0;
  }
  fftw_execute(there);
  fftw_execute(back);
  int wrong = 0, all_wrong;
  for (ptrdiff_t i = 0; i < rows * n; ++i) {
    wrong += fabs(data[i][0] / (double)(n * n) - value_at(i)) > 1e-9;
  }
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    printf("planned in %.3f ms, %d wrong\n", ms, all_wrong);
  }
  fftw_destroy_plan(there);
  fftw_destroy_plan(back);
  fftw_free(data);
  MPI_Finalize();
  return all_wrong != 0;
}
