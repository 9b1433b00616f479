/* SPDX-License-Identifier: BSD-3-Clause
 * The program behind `terrace run`. A program that was linked as the main one finds its
 * thread-local variables at fixed places just below the thread pointer, wherever it is loaded: the
 * places of the main program's own. So this one has nothing there but room for them, and all that
 * it does is in its library. */
#include "threadranks/process/reserve.h"

__thread char terrace_reserve[TERRACE_RESERVE_BYTES]
    __attribute__((aligned(TERRACE_RESERVE_ALIGNMENT), tls_model("local-exec")));

int terrace_ranks_main(int argc, char** argv);

int main(int argc, char** argv) {
  /* Read, or the linker leaves it out. */
  terrace_reserve[0] = 0;
  return terrace_ranks_main(argc, argv);
}
