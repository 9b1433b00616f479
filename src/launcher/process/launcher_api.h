// SPDX-License-Identifier: BSD-3-Clause
// The functions that a rank's own part of libc (rank_libc/) calls in the launcher that has loaded
// it. All ranks see the launcher's symbols, but only the rank's copies see its part of libc, so
// functions there know their rank.
#pragma once

#include <pthread.h>
#include <regex.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>

#define TERRACE_LAUNCHER_API extern "C" [[gnu::visibility("default")]]

extern "C" {

struct terrace_rank;

/// Called by the first constructor among a rank's copies, when the loader has relocated everything
/// and no code of the program has run: prepares the thread.
terrace_rank* terrace_rank_arrive();

int terrace_rank_number(const terrace_rank*);

/// The path of the program that ranks run, without links.
const char* terrace_rank_program(const terrace_rank*);

/// The environment of the job.
char** terrace_rank_variables(const terrace_rank*);

/// The first of the rank's arguments.
char* terrace_rank_program_name(const terrace_rank*);

/// libc's own function of that name, in whose place ranks find one of their part of libc.
void* terrace_rank_libc_function(const char* name);

/// Values of the variables that libc sets by a time zone.
struct terrace_zone {
  char* names[2];
  long seconds_west;
  int has_summer_time;
};

/// Makes `zone` (a value of TZ; null: it is not set) the time zone of libc's functions, which have
/// one for the process, until the caller leaves it. Other threads wait to enter theirs.
void terrace_rank_enter_zone(const char* zone);
void terrace_rank_leave_zone(terrace_zone* told);

/// libc's re_compile_pattern with that syntax.
const char* terrace_rank_compile_pattern(unsigned long syntax, const char* text, size_t bytes,
                                         struct re_pattern_buffer*);

/// Has libc's argp print this address from now on.
void terrace_rank_print_bug_address(const char*);

/// Makes libc's obstacks call a function of the rank where there is no memory.
void terrace_rank_on_full_obstack(terrace_rank*, void (*function)(void));

/// pthread_create for a thread that belongs to the rank.
int terrace_rank_create_thread(terrace_rank*, pthread_t*, const pthread_attr_t*,
                               void* (*start)(void*), void* argument);

/// libc's pthread_getattr_np, but with the stack that the program has given the thread, if any.
int terrace_rank_thread_attributes(pthread_t, pthread_attr_t*);

/// libc's pthread_exit, pthread_key_create and pthread_key_delete.
[[noreturn]] void terrace_rank_exit_thread(void* value);
int terrace_rank_create_key(pthread_key_t*, void (*destroy)(void*));
int terrace_rank_delete_key(pthread_key_t);

/// Whether the caller runs the rank's main.
bool terrace_rank_is_main(const terrace_rank*);

/// Returns when the rank's other threads have ended.
void terrace_rank_join_others(terrace_rank*);

/// The rank's answer to a signal.
typedef enum {
  TERRACE_SIGNAL_LEFT,       ///< to the system
  TERRACE_SIGNAL_HANDLED,    ///< or ignored: calls of the system go on
  TERRACE_SIGNAL_INTERRUPTS  ///< handled, and calls of the system end with EINTR
} terrace_signal_answer;

/// Called in a thread of the rank for a signal; returns one of the above.
typedef int terrace_signal_function(int signal, siginfo_t* why, void* context);

/// Makes the launcher ask the rank about a signal from now on; `flags` are sigaction's, and
/// `is_handled` is 0 if the rank leaves it to the system. Returns 0 or -1, as sigaction does.
int terrace_rank_handle_signal(terrace_rank*, int signal, int flags, int is_handled,
                               terrace_signal_function*);

/// kill(), with the rank taking its process's place.
int terrace_rank_kill(terrace_rank*, pid_t process, int signal);

/// pthread_kill().
int terrace_rank_kill_thread(terrace_rank*, pthread_t thread, int signal);

/// State that a rank has for itself, as a process would.
typedef enum {
  TERRACE_RANK_OWN_THREAD,    ///< what the kernel keeps for a thread
  TERRACE_RANK_OWN_FILES,     ///< and open files
  TERRACE_RANK_OWN_DIRECTORY  ///< and the working directory
} terrace_rank_own;

/// The caller, which runs the rank's main, is a thread from now on if it is a fibre, and has this
/// of its own.
void terrace_rank_keep_thread(terrace_rank*, terrace_rank_own);

/// Lets other ranks run that share the caller's kernel thread, and sleeps for so long at most if
/// none can go on, or yields if that is 0. False: there are none, and nothing has been done.
bool terrace_rank_pass(terrace_rank*, uint64_t most_ns);

/// libc's clock_nanosleep, where the caller can be canceled.
int terrace_rank_sleep(clockid_t clock, int flags, const struct timespec* time,
                       struct timespec* left);

/// A call that changes the caller's user or groups, by its number (SYS_setuid and its kin): for all
/// threads of the process, as libc's functions do; a fibre is a thread from then on, and changes
/// its own.
long terrace_rank_change_user(terrace_rank*, long call, long first, long second, long third);

/// libc's pthread_sigmask, pthread_mutexattr_setprotocol and pthread_setaffinity_np.
int terrace_rank_mask_signals(int how, const sigset_t* set, sigset_t* before);
int terrace_rank_set_protocol(pthread_mutexattr_t* attributes, int protocol);
int terrace_rank_bind_thread(pthread_t thread, size_t bytes, const cpu_set_t* set);

/// Runs what the loader would at the end of a process: the finalizers of the rank's copies.
void terrace_rank_finalize(terrace_rank*);

/// Whether the caller is a child that the rank has forked, and so a process of its own.
bool terrace_rank_is_forked(const terrace_rank*);

/// Waits until no rank opens a library, and keeps it so: what a child of `fork` finds locked stays
/// locked. Released after the fork, in the parent and in the child.
void terrace_rank_hold_opening();
void terrace_rank_release_opening(bool is_child);

/// libc's fork, posix_spawn, and clone, whose optional arguments are in `more`.
pid_t terrace_rank_fork();
int terrace_rank_spawn(pid_t* child, const char* program, const posix_spawn_file_actions_t*,
                       const posix_spawnattr_t*, char* const* words, char* const* variables);
int terrace_rank_clone(int (*start)(void*), void* stack, int flags, void* argument,
                       void* const more[3]);

/// The calling thread has made a process, which is the rank's child; -1: none.
void terrace_rank_note_child(terrace_rank*, pid_t child);

/// wait4 and waitid, for the rank's own children.
pid_t terrace_rank_wait4(terrace_rank*, pid_t child, int* status, int options, struct rusage*);
int terrace_rank_waitid(terrace_rank*, idtype_t, id_t, siginfo_t*, int options);

/// execve in a child of the rank or in the only rank. In any other rank it would end all ranks, so
/// the job ends with a message. `ignored`: signals that the new program is to ignore, a bit for
/// each from the lowest on.
int terrace_rank_become(terrace_rank*, const char* program, char* const* words,
                        char* const* variables, uint64_t ignored);

/// libc's fopen, freopen, fdopen, tmpfile, fopencookie, fclose, and fflush.
FILE* terrace_rank_open_stream(const char* path, const char* mode);
FILE* terrace_rank_reopen_stream(const char* path, const char* mode, FILE*);
FILE* terrace_rank_open_stream_of_file(int file, const char* mode);
FILE* terrace_rank_open_temporary_stream();
FILE* terrace_rank_open_stream_of_cookie(void* cookie, const char* mode, cookie_io_functions_t);
int terrace_rank_close_stream(FILE*);
/// Libc's stdout is this stream from now on: while it is buffered by lines, what is in its buffer
/// is written before libc fills the buffer of a stream of any rank that is not fully buffered.
void terrace_rank_prompt_by(FILE*);
int terrace_rank_flush_stream(FILE*);

/// The rank's program has ended. Does not return; what belongs to the thread is not destroyed.
[[noreturn]] void terrace_rank_end(terrace_rank*, int code);

/// The rank cannot go on, which ends the job; `why` follows its name: "called abort()".
[[noreturn]] void terrace_rank_abort(terrace_rank*, const char* why);

/// dlopen: the rank gets a copy of its own of what it does not have yet. Null, and a sentence that
/// lasts until the thread's next call: it failed.
void* terrace_rank_open(terrace_rank*, const char* name, int flags, const char** error);

/// dlclose. A copy stays loaded.
int terrace_rank_close(terrace_rank*, void* handle);

/// libc's dlerror.
char* terrace_rank_error();

/// dlsym(RTLD_DEFAULT): the program's symbols, then those of the libraries that it has opened with
/// RTLD_GLOBAL, then the process's.
void* terrace_rank_symbol(terrace_rank*, const char* name);

/// dlsym(RTLD_NEXT) for a caller at that address: the process's symbol, if none of the rank's
/// copies that come after the caller's has one; otherwise null.
void* terrace_rank_next_symbol(terrace_rank*, const char* name, const void* caller);

/// libc's dlsym, which looks who calls it: to be jumped to.
void* terrace_rank_dlsym(void* handle, const char* name);

}  // extern "C"
