/* SPDX-License-Identifier: BSD-3-Clause
 * A launcher's program (src/launcher/process/executable.c) whose reserve is not where programs
 * expect their thread-local variables. */
#include <stddef.h>

int terrace_ranks_main(int argc, char** argv, const char* reserve, size_t reserve_bytes);

static __thread char reserve[256] __attribute__((aligned(64)));

int main(int argc, char** argv) {
  return terrace_ranks_main(argc, argv, reserve + 64, sizeof reserve);
}
