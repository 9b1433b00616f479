// SPDX-License-Identifier: BSD-3-Clause
// What libc's obstacks do where there is no memory: by the rank's variables.
#include <stdio.h>
#include <stdlib.h>

#include "launcher/rank_libc/rank_libc.hpp"

extern "C" {

int own_exit_failure TERRACE_INSTEAD_OF(obstack_exit_failure) = EXIT_FAILURE;

[[noreturn]] static void end_without_memory() {
  fprintf(stderr, "memory exhausted\n");
  terrace::rank_libc::leave(own_exit_failure);
}

void (*own_failed_handler)() TERRACE_INSTEAD_OF(obstack_alloc_failed_handler) = end_without_memory;

}  // extern "C"

namespace terrace::rank_libc {

void begin_obstacks() {
  own_failed_handler = end_without_memory;
  terrace_rank_on_full_obstack(this_rank(), [] { own_failed_handler(); });
}

}  // namespace terrace::rank_libc
