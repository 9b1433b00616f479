// SPDX-License-Identifier: BSD-3-Clause
// Collectives by levels: a broadcast, a sum, and how many ranks meet at each level.
//
//   mpicxx hierarchical.cpp $(pkg-config --cflags --libs terrace-communicators) && mpirun -n 6
//   ./a.out
#include "terrace/hierarchical.hpp"

#include <cstdio>

static int meet(MPI_Comm step, int) {
  return MPI_Barrier(step);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    const terrace::Hierarchical levels(MPI_COMM_WORLD);
    int value = rank == 0 ? 42 : 0, sum = 0;
    levels.bcast(&value, 1, MPI_INT, 0);
    levels.reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0);
    levels.upwards(0, meet);
    const auto tell = [&](MPI_Comm step, int) {
      int ranks = 0;
      MPI_Comm_size(step, &ranks);
      if (rank == 0) std::printf("%d ranks meet\n", ranks);
      return MPI_SUCCESS;
    };
    levels.downwards(0, tell);
    if (rank == 0) std::printf("the sum is %d\n", sum);
  }
  MPI_Finalize();
}
