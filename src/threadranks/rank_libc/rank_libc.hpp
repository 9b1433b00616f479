// SPDX-License-Identifier: BSD-3-Clause
// A rank's replacements for the stateful parts of libc: loaded once for each rank, before libc in
// the scope of the rank's copies only. So state is plain variables here, and functions know their
// rank. The library needs only libc, and no part of C++ that has a runtime.
#pragma once

#include "threadranks/process/launcher_api.h"

/// Ours under libc's name; the second name keeps the declarations of libc's headers out of the way.
#define TERRACE_INSTEAD_OF(name) __asm__(#name) __attribute__((visibility("default"), used))

namespace terrace::rank_libc {

/// The rank of these copies.
terrace_rank* this_rank();

/// exit(): what the program has registered, in reverse, then what the loader would call.
[[noreturn]] void leave(int code);

/// Called before anything of the program runs.
void begin_streams();
void begin_variables(char** first);

/// In a thread of the rank, before its first function.
void use_locale_of_rank();

/// The rank's environment now.
char** variables();

/// What libc would write at the end of a process.
void end_streams();

}  // namespace terrace::rank_libc
