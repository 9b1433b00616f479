// SPDX-License-Identifier: BSD-3-Clause
// Divides MPI_COMM_WORLD along the hardware, level by level, and shows each rank's way: on any
// machine, bound in any way, under any MPI.
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <terrace/mpix.h>

enum { kLine = 200 };

/// Appends "type part/parts" for a communicator of the hierarchy.
static void describe(MPI_Comm comm, char line[kLine]) {
  int parts, part;
  char* type;
  MPIX_Comm_get_hlevel_info(comm, &parts, &part, &type);
  const size_t end = strlen(line);
  snprintf(line + end, kLine - end, "  %s %d/%d", type, part, parts);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  char line[kLine] = "";
  MPI_Comm comm = MPI_COMM_WORLD, finer;
  for (;;) {
    MPIX_Comm_split_type(comm, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, rank, MPI_INFO_NULL, &finer);
    if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
    if (finer == MPI_COMM_NULL) break;
    describe(finer, line);
    comm = finer;
  }

  char lines[64][kLine];
  MPI_Gather(line, kLine, MPI_CHAR, lines, kLine, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < ranks; ++i) printf("rank %d:%s\n", i, lines[i]);
  MPI_Finalize();
  return 0;
}
