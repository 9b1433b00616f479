/* SPDX-License-Identifier: BSD-3-Clause
 * The program behind `terrace run`. A program that is linked as an executable expects its
 * thread-local variables at fixed offsets below the thread pointer, which are those of this
 * executable. So this one holds nothing but room for them, and its code is in a library. */
#include <stddef.h>

__thread char terrace_reserve[TERRACE_RESERVE_BYTES]
    __attribute__((aligned(TERRACE_RESERVE_ALIGNMENT), tls_model("local-exec")));

int terrace_ranks_main(int argc, char** argv, size_t reserve_bytes);

int main(int argc, char** argv) {
  /* Read, or the linker leaves it out. */
  terrace_reserve[0] = 0;
  return terrace_ranks_main(argc, argv, sizeof terrace_reserve);
}
