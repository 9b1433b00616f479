// SPDX-License-Identifier: BSD-3-Clause
// system and popen: shells with the rank's environment.
#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launcher/rank_libc/locked.hpp"
#include "launcher/rank_libc/rank_libc.hpp"

namespace terrace::rank_libc {

namespace {

/// A stream to or from a shell, until it is closed.
struct Shell {
  FILE* stream;
  pid_t process;
  Shell* next;
};

/// Recursive, as a handler of signals may fork.
pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
Shell* shells = nullptr;
int waiting_calls = 0;  ///< of system: while there are any, two signals are ignored
struct sigaction before_calls[2];
constexpr int kIgnored[] = {SIGINT, SIGQUIT};

/// An error's number, or 0. `process` is not noted as the rank's child.
int start_shell(const char* command, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, pid_t& process) {
  char name[] = "sh", option[] = "-c";
  char* const words[] = {name, option, const_cast<char*>(command), nullptr};
  return terrace_rank_spawn(&process, _PATH_BSHELL, actions, attributes, words, variables());
}

int status_of(pid_t process) {
  int status = -1;
  while (terrace_rank_wait4(this_rank(), process, &status, 0, nullptr) < 0)
    if (errno != EINTR) return -1;
  return status;
}

void ignore_signals() {
  const struct sigaction ignored = [] {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_IGN;
    return action;
  }();
  const Locked lock(mutex);
  for (int i = 0; i < 2 && waiting_calls == 0; ++i)
    sigaction(kIgnored[i], &ignored, &before_calls[i]);
  ++waiting_calls;
}

void heed_signals() {
  const Locked lock(mutex);
  --waiting_calls;
  for (int i = 0; i < 2 && waiting_calls == 0; ++i)
    sigaction(kIgnored[i], &before_calls[i], nullptr);
}

/// SIGCHLD is blocked, as a handler might wait for the shell.
int run_shell(const char* command, const sigset_t& before) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &before);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t process = -1;
  const int error = start_shell(command, nullptr, &attributes, process);
  posix_spawnattr_destroy(&attributes);
  if (error == 0) return status_of(process);
  errno = error;
  // As if the shell had ended so.
  return error == ENOMEM || error == EAGAIN ? -1 : 127 << 8;
}

struct ShellMode {
  bool reads = false, writes = false, closes = false, is_right = true;

  explicit ShellMode(const char* text) {
    for (; *text != '\0'; ++text) {
      reads |= *text == 'r';
      writes |= *text == 'w';
      closes |= *text == 'e';
      is_right &= strchr("rwe", *text) != nullptr;
    }
    is_right &= reads != writes;
  }
};

/// An error's number, or 0. Streams to earlier shells are not the new one's, which would keep them
/// from their end.
int start_shell_at(int end, const ShellMode& mode, const char* command, pid_t& process) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, end, mode.reads ? STDOUT_FILENO : STDIN_FILENO);
  for (const Shell* one = shells; one != nullptr; one = one->next)
    if (const int other = fileno(one->stream); other > STDERR_FILENO)
      posix_spawn_file_actions_addclose(&actions, other);
  const int error = start_shell(command, &actions, nullptr, process);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// Holds the mutex. Null, and errno: it failed.
Shell* open_shell(const char* command, const ShellMode& mode) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return nullptr;
  const int own = mode.reads ? ends[0] : ends[1], its = mode.reads ? ends[1] : ends[0];
  auto* const shell = static_cast<Shell*>(malloc(sizeof(Shell)));
  FILE* const stream = shell == nullptr ? nullptr : fdopen(own, mode.reads ? "r" : "w");
  if (stream == nullptr) close(own);
  int error = stream == nullptr ? ENOMEM : 0;
  if (error == 0) *shell = {stream, -1, nullptr};
  if (error == 0) error = start_shell_at(its, mode, command, shell->process);
  close(its);
  if (error == 0) {
    terrace_rank_note_child(this_rank(), shell->process);
    if (!mode.closes) fcntl(own, F_SETFD, 0);
    return shell;
  }
  if (stream != nullptr) close_stream(stream);
  free(shell);
  errno = error;
  return nullptr;
}

/// The shell of a stream, which is no longer in the list; null: it has none.
Shell* taken_shell(const FILE* stream) {
  const Locked lock(mutex);
  Shell** place = &shells;
  while (*place != nullptr && (*place)->stream != stream) place = &(*place)->next;
  Shell* const found = *place;
  if (found != nullptr) *place = found->next;
  return found;
}

}  // namespace

void hold_shells() {
  pthread_mutex_lock(&mutex);
}

void release_shells(bool is_child) {
  release_after_fork(mutex, is_child);
}

int close_any_stream(FILE* stream) {
  Shell* const shell = taken_shell(stream);
  const int failure = close_stream(stream);
  if (shell == nullptr) return failure;
  const pid_t process = shell->process;
  free(shell);
  return status_of(process);
}

}  // namespace terrace::rank_libc

using namespace terrace::rank_libc;

extern "C" {

int own_system(const char* command) TERRACE_INSTEAD_OF(system);
int own_system(const char* command) {
  if (command == nullptr) return own_system("exit 0") == 0;
  int cancels = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancels);
  ignore_signals();
  sigset_t child, before;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  terrace_rank_mask_signals(SIG_BLOCK, &child, &before);
  const int status = run_shell(command, before);
  const int error = errno;
  heed_signals();
  terrace_rank_mask_signals(SIG_SETMASK, &before, nullptr);
  pthread_setcancelstate(cancels, nullptr);
  errno = error;
  return status;
}

FILE* own_popen(const char* command, const char* mode_as_text) TERRACE_INSTEAD_OF(popen);
FILE* own_popen(const char* command, const char* mode_as_text) {
  const ShellMode mode(mode_as_text);
  if (!mode.is_right) {
    errno = EINVAL;
    return nullptr;
  }
  const Locked lock(mutex);
  Shell* const shell = open_shell(command, mode);
  if (shell == nullptr) return nullptr;
  shell->next = shells;
  shells = shell;
  return shell->stream;
}

int own_pclose(FILE* stream) TERRACE_INSTEAD_OF(pclose);
int own_pclose(FILE* stream) {
  return close_any_stream(stream);
}

/// Closes a stream; after one of popen, it waits for the shell, too.
int own_fclose(FILE* stream) TERRACE_INSTEAD_OF(fclose);
int own_fclose(FILE* stream) {
  return close_any_stream(stream);
}

}  // extern "C"
