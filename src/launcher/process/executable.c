/* SPDX-License-Identifier: BSD-3-Clause
 * The program behind `terrace run`. A program that is linked as an executable expects its
 * thread-local variables at fixed offsets from the thread pointer, which are those of this
 * executable. So this one holds nothing but room for them, and its code is in a library.
 * On AArch64 they lie behind the thread pointer and two words of the thread's own. There the room
 * begins right behind those, as the loader would fill a gap with what libraries have, and the
 * library aligns the thread pointer. */
#include <stddef.h>

__thread char terrace_reserve[TERRACE_RESERVE_BYTES]
#if defined(__aarch64__)
    __attribute__((aligned(16), tls_model("local-exec")));
#else
    __attribute__((aligned(TERRACE_RESERVE_ALIGNMENT), tls_model("local-exec")));
#endif

int terrace_ranks_main(int argc, char** argv, const char* reserve, size_t reserve_bytes);

int main(int argc, char** argv) {
  return terrace_ranks_main(argc, argv, terrace_reserve, sizeof terrace_reserve);
}
