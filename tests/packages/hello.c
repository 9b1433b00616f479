// SPDX-License-Identifier: BSD-3-Clause
// A program of two ranks that adds their numbers up, for installations to run.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int mine = rank + 1;
  for (int i = 0; i < 10; ++i) MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %d of %d ranks\n", sum, ranks);
  MPI_Finalize();
  return 0;
}
