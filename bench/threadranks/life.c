/* SPDX-License-Identifier: BSD-3-Clause
 * A job whose ranks meet once. Rank 0 prints what memory each holds then, in KiB, its share of what
 * it has in common with others: M,KIB. Ranks may be processes, or threads of one. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns the memory that the calling process holds, in KiB. */
static long held(void) {
  char line[256];
  long kib = 0;
  FILE* const file = fopen("/proc/self/smaps_rollup", "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "Pss: %ld", &kib) == 1) break;
  if (file) fclose(file);
  return kib;
}

int main(int count, char** words) {
  int rank, ranks, sum = 0, one = 1;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (sum != ranks) MPI_Abort(MPI_COMM_WORLD, 1);
  const long mine[2] = {(long)getpid(), held()};
  long* const all = malloc(sizeof mine * (size_t)ranks);
  MPI_Gather(mine, 2, MPI_LONG, all, 2, MPI_LONG, 0, MPI_COMM_WORLD);
  long total = 0;
  for (int i = 0; rank == 0 && i < ranks; ++i) {
    int is_new = 1;
    for (int before = 0; before < i; ++before) is_new &= all[2 * before] != all[2 * i];
    if (is_new) total += all[2 * i + 1];
  }
  if (rank == 0) printf("M,%ld\n", total / ranks);
  free(all);
  MPI_Finalize();
  return 0;
}
