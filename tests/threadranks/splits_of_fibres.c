/* SPDX-License-Identifier: BSD-3-Clause
 * Splits by cores while ranks lose their workers: each rank is bound to its worker's core all the
 * same. Rank 0 prints "right". */
#include <mpi.h>
#include <unistd.h>

#include "expect.h"

/* Long and often enough that the rank is left to its kernel thread for a while. */
static void sleep_often(void) {
  int i;
  for (i = 0; i < 5; ++i) usleep(6000);
}

int main(int argc, char** argv) {
  MPI_Info info;
  int round, all_right = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  EXPECT(ranks == 4);
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_hw_resource_type", "hwloc://Core");
  for (round = 0; round < 20; ++round) {
    MPI_Comm core;
    if (rank % 2 == 0) sleep_often();
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &core);
    EXPECT(core != MPI_COMM_NULL);
    if (core != MPI_COMM_NULL) MPI_Comm_free(&core);
  }
  MPI_Info_free(&info);
  MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) printf(all_right ? "right\n" : "wrong\n");
  MPI_Finalize();
  return 0;
}
