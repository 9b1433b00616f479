/* SPDX-License-Identifier: BSD-3-Clause
 * All ranks but the last wait for it in a barrier; then it calls `all_wait`, for debuggers to stop
 * at. Rank 0 prints "right". */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static int rank, ranks;

__attribute__((noinline)) void wait_here(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  __asm__ volatile("" ::: "memory"); /* no call at the end, which would hide this one */
}

__attribute__((noinline)) void all_wait(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  __asm__ volatile("" ::: "memory");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == ranks - 1) {
    usleep(200000);
    all_wait();
  } else {
    wait_here();
  }
  if (rank == 0) printf("right\n");
  MPI_Finalize();
  return 0;
}
