/* SPDX-License-Identifier: BSD-3-Clause
 * Threads of a rank that OpenMP makes: threadprivate variables, and a stack that is large enough.
 */
#include <stdio.h>
#include <string.h>

static int private_count;
#pragma omp threadprivate(private_count)

int main(void) {
  int faults = 0, threads = 0;
  char large[6 << 20];
  memset(large, 1, sizeof large);
  for (int round = 0; round < 20; ++round) {
#pragma omp parallel num_threads(3) reduction(+ : faults, threads)
    {
      ++threads;
      ++private_count;
      faults += private_count != round + 1;
    }
  }
  printf(faults == 0 && threads == 60 && large[6000000] == 1 ? "right\n" : "wrong\n");
  return 0;
}
