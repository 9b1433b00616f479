// SPDX-License-Identifier: BSD-3-Clause
// Ranks whose launcher left nothing by which they could see each other, as far as a library can
// tell that asks after MPI_Init. They call until they are done, or until three seconds are over.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  static const char* const names[] = {"PMI_RANK",      "PMIX_NAMESPACE", "PMIX_RANK",
                                      "SLURM_STEP_ID", "SLURM_PROCID",   "SLURM_JOB_ID"};
  int rank, size, sum = 0;
  MPI_Init(&argc, &argv);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) unsetenv(names[i]);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  alarm(3);
  for (int call = 0; call < 20; ++call)
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0) printf("all right %d\n", sum != size * (size - 1) / 2);
  return 0;
}
