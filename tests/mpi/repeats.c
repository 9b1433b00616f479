// SPDX-License-Identifier: BSD-3-Clause
// Exchanges that are like the last one of their kind, and those that differ in one argument.
#include "repeated_exchanges.h"

int main(int argc, char** argv) {
  int rank, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int wrong = wrong_in_repeated_exchanges(2000);
  PMPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf(all ? "%d results are wrong\n" : "all right %d\n", all);
  MPI_Finalize();
  return all != 0;
}
