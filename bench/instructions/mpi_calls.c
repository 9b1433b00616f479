/* SPDX-License-Identifier: BSD-3-Clause
 * COUNT calls of an 8-byte MPI_Allreduce: what run.py counts the instructions of. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  int rank, ranks, wrong = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int calls = count > 1 ? atoi(words[1]) : 1000;
  for (int i = 0; i < calls; ++i) {
    const double input = i + rank;
    double output = 0;
    MPI_Allreduce(&input, &output, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    wrong |= output != (double)i * ranks + ranks * (ranks - 1) / 2;
  }
  if (wrong) fprintf(stderr, "mpi_calls: wrong sums\n");
  MPI_Finalize();
  return wrong;
}
