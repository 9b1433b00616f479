// SPDX-License-Identifier: BSD-3-Clause
// A rank's replacements for the stateful parts of libc: loaded once for each rank, and visible
// before libc to the rank's copies only. So state is in plain variables, and functions know their
// rank. The library needs only libc, and no part of C++ that has a runtime.
#pragma once

#include "launcher/process/launcher_api.h"

/// Defines our function under libc's name; the second name avoids the declarations of libc's
/// headers.
#define TERRACE_INSTEAD_OF(name) __asm__(#name) __attribute__((visibility("default"), used))
/// Gives what is defined under one of libc's names another one, too.
#define TERRACE_ALSO_AS(other, name) \
  __asm__(#other) __attribute__((alias(#name), visibility("default")))

namespace terrace::rank_libc {

/// The rank of these copies.
terrace_rank* this_rank();

/// exit(): calls what the program has registered, in reverse, then what the loader would call.
[[noreturn]] void leave(int code);

/// Called before any code of the program runs.
void begin_streams();
void begin_variables(char** first);
void begin_blocks();
void begin_zone();
void begin_obstacks();

/// A stream that has been opened, which is the rank's from now on, or null.
FILE* with_note(FILE* stream);
/// fclose of one that no shell is at the other end of.
int close_stream(FILE* stream);
/// libc's fork, with the rank's handlers of pthread_atfork.
pid_t fork_with_handlers();
/// Called around libc's fork: its child may open and close streams, whatever other threads are
/// doing.
void hold_shells();
void release_shells(bool is_child);
void hold_streams();
void release_streams(bool is_child);

/// Called in a new thread of the rank, before its function.
void use_locale_of_rank();

/// Returns the signals that the rank ignores: a bit for each, from the lowest on.
uint64_t ignored_signals();
/// Finds where the rank's PATH leads to a program of this name, as execvp looks for it: written to
/// `path`, which has PATH_MAX bytes. Else the name, and errno is that of the failure.
const char* found_in_path(const char* file, char* path);

/// The path, or that of the rank's program, if it is the kernel's name for the program of the
/// calling process.
const char* with_own_program(const char* path);

/// A text that libc has allocated, as a block of the program's allocator; null for null.
char* text_of_program(char* text);

/// A handler of the rank is about to run: sleeps end.
void note_signal();

/// The rank's present environment.
char** variables();

/// Sets the name by which the rank's program was started, with which `error` and its kin begin a
/// message.
void begin_names(char* program);
const char* short_program_name();

/// libc's own function, where this library has another one of that name.
template <class Function>
class OfLibc {
 public:
  constexpr explicit OfLibc(const char* name) : name_(name) {}
  template <class... Arguments>
  auto operator()(Arguments... arguments) {
    // relaxed, both: each look finds the same function.
    Function* function = __atomic_load_n(&function_, __ATOMIC_RELAXED);
    if (function == nullptr) {
      function = reinterpret_cast<Function*>(terrace_rank_libc_function(name_));
      __atomic_store_n(&function_, function, __ATOMIC_RELAXED);
    }
    return function(arguments...);
  }

 private:
  const char* const name_;
  Function* function_ = nullptr;
};

/// Writes what libc would write at the end of a process: what is in the buffers of all streams.
void end_streams();

}  // namespace terrace::rank_libc
