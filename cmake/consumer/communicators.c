// SPDX-License-Identifier: BSD-3-Clause
// The smallest program that uses the installed library of communicators; a job of one rank.
#include <terrace/mpix.h>

// One rank shares nothing that could be divided.
int main(int argc, char** argv) {
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Init(&argc, &argv);
  const int error = MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, 0,
                                         MPI_INFO_NULL, &comm);
  MPI_Finalize();
  return error != MPI_SUCCESS ? 1 : comm != MPI_COMM_NULL ? 2 : 0;
}
