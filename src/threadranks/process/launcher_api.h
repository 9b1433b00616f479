// SPDX-License-Identifier: BSD-3-Clause
// What a rank's own part of libc (rank_libc/) asks of the launcher that has loaded it. The launcher
// is in the scope of all, the rank's part in that of the rank's copies alone: so each function
// there knows its rank without looking.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <sys/types.h>

extern "C" {

struct terrace_rank;

/// Called by the first constructor that runs among a rank's copies, when the loader has put
/// everything in its place and nothing of the program has run: prepares the thread.
terrace_rank* terrace_rank_arrive();

int terrace_rank_number(const terrace_rank*);

/// The environment of the job.
char** terrace_rank_variables();

/// pthread_create for a thread that belongs to the rank.
int terrace_rank_create_thread(terrace_rank*, pthread_t*, const pthread_attr_t*,
                               void* (*start)(void*), void* argument);

/// pthread_exit. In the thread that runs `main` it returns when the rank's other threads have
/// ended: then the rank's program has, as a process would.
void terrace_rank_exit_thread(terrace_rank*, void* value);

/// Asked in a thread of the rank when a signal has come: 0 if the rank leaves it to the system.
typedef int terrace_signal_function(int signal, siginfo_t* why, void* context);

/// From now on the rank is asked about a signal; `flags` are sigaction's. As sigaction, 0 or -1.
int terrace_rank_handle_signal(terrace_rank*, int signal, int flags, terrace_signal_function*);

/// kill(), with the rank in its process's place.
int terrace_rank_kill(terrace_rank*, pid_t process, int signal);

/// What the loader would call when the process ends: the finalizers of the rank's copies.
void terrace_rank_finalize(terrace_rank*);

/// Whether the caller is a child that the rank has forked: then it is a process of its own.
bool terrace_rank_is_forked(const terrace_rank*);

/// execve, and execvpe if `searches`, of a child of the rank, or of a rank that is the only one.
/// Any other rank would end all ranks by it, so the job ends with a line that says so.
int terrace_rank_become(terrace_rank*, const char* program, char* const* words,
                        char* const* variables, bool searches);

/// The rank's program has ended. Does not return.
[[noreturn]] void terrace_rank_end(terrace_rank*, int code);

/// The rank cannot go on, and with it the job; `why` follows its name: "called abort()".
[[noreturn]] void terrace_rank_abort(terrace_rank*, const char* why);

/// The program's handle, for dlopen(NULL).
void* terrace_rank_handle(const terrace_rank*);

}  // extern "C"
