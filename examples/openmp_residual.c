// SPDX-License-Identifier: BSD-3-Clause
// Teaches: Terrace inside an OpenMP parallel region. A Jacobi iteration smooths a rod whose ends
// are held at 0 and 1; in each sweep all threads agree on the largest change, and stop together.
#include <omp.h>
#include <stdio.h>
#include <terrace/terrace.h>

enum { kRanks = 2, kCells = 34, kMostSweeps = 10000 };

static double rod[2][kCells];

// Smooths this rank's cells from one rod to the other; returns the largest change.
static double sweep(const double* from, double* to, int rank) {
  const int share = (kCells - 2) / kRanks;
  double change = 0;
  for (int i = 1 + rank * share; i < 1 + (rank + 1) * share; ++i) {
    to[i] = (from[i - 1] + from[i + 1]) / 2;
    const double moved = to[i] > from[i] ? to[i] - from[i] : from[i] - to[i];
    if (moved > change) change = moved;
  }
  return change;
}

int main(void) {
  terrace_team* team;
  if (terrace_team_create(kRanks, NULL, &team) != TERRACE_OK) {
    fprintf(stderr, "%s\n", terrace_last_error());
    return 1;
  }
  rod[0][kCells - 1] = rod[1][kCells - 1] = 1;
  int sweeps = 0, failed = 0;
  omp_set_dynamic(0);  // as many threads as ranks, or the team would wait for ever
#pragma omp parallel num_threads(kRanks) reduction(| : failed)
  {
    const int rank = omp_get_thread_num();
    double change = 1;
    int mine = 0;
    for (; change > 1e-6 && mine < kMostSweeps && !failed; ++mine) {
      change = sweep(rod[mine % 2], rod[(mine + 1) % 2], rank);
      // The maximum of all ranks, in place; no rank starts the next sweep before all have ended
      // this one, so it is also the barrier.
      failed = terrace_allreduce(TERRACE_IN_PLACE, &change, 1, TERRACE_DOUBLE, TERRACE_MAXIMUM,
                                 team, rank) != TERRACE_OK;
    }
    if (rank == 0) sweeps = mine;
  }
  terrace_team_destroy(team);
  printf("still after %d sweeps; the middle is at %.3f\n", sweeps,
         (rod[sweeps % 2][kCells / 2 - 1] + rod[sweeps % 2][kCells / 2]) / 2);
  return failed;
}
