// SPDX-License-Identifier: BSD-3-Clause
// A rank's own signal handlers. For each signal that a rank handles, the process has the launcher's
// handler, which calls the handler of the rank that the signal is for (launcher_api.h).
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "launcher/rank_libc/rank_libc.hpp"

namespace terrace::rank_libc {

namespace {

/// The handlers that the program has set; initially libc's defaults. Written under the mutex. A
/// signal handler reads them without it, and sees the old or the new one.
struct sigaction actions[NSIG];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/// Called by the launcher's handler, in a thread of the rank.
int handle(int signal, siginfo_t* why, void* context) {
  const struct sigaction action = actions[signal];
  if (action.sa_handler == SIG_DFL) return TERRACE_SIGNAL_LEFT;
  if (action.sa_handler == SIG_IGN) return TERRACE_SIGNAL_HANDLED;
  note_signal();
  if ((action.sa_flags & SA_RESETHAND) != 0) {
    actions[signal].sa_handler = SIG_DFL;
    terrace_rank_handle_signal(this_rank(), signal, action.sa_flags, 0, handle);
  }
  sigset_t before;
  terrace_rank_mask_signals(SIG_BLOCK, &action.sa_mask, &before);
  if ((action.sa_flags & SA_SIGINFO) != 0)
    action.sa_sigaction(signal, why, context);
  else
    action.sa_handler(signal);
  terrace_rank_mask_signals(SIG_SETMASK, &before, nullptr);
  return (action.sa_flags & SA_RESTART) != 0 ? TERRACE_SIGNAL_HANDLED : TERRACE_SIGNAL_INTERRUPTS;
}

}  // namespace

uint64_t ignored_signals() {
  uint64_t ignored = 0;
  for (int signal = 1; signal < NSIG; ++signal)
    if (actions[signal].sa_handler == SIG_IGN) ignored |= uint64_t{1} << (signal - 1);
  return ignored;
}

namespace {

bool is_ours(int signal) {
  return signal > 0 && signal < NSIG && signal != SIGKILL && signal != SIGSTOP;
}

}  // namespace

}  // namespace terrace::rank_libc

using namespace terrace::rank_libc;

extern "C" {

int own_sigaction(int signal, const struct sigaction* wanted, struct sigaction* before)
    TERRACE_INSTEAD_OF(sigaction);
int own_sigaction(int signal, const struct sigaction* wanted, struct sigaction* before) {
  if (!is_ours(signal)) {
    errno = EINVAL;
    return -1;
  }
  pthread_mutex_lock(&mutex);
  if (before != nullptr) *before = actions[signal];
  if (wanted != nullptr) actions[signal] = *wanted;
  pthread_mutex_unlock(&mutex);
  return wanted == nullptr ? 0
                           : terrace_rank_handle_signal(this_rank(), signal, wanted->sa_flags,
                                                        wanted->sa_handler != SIG_DFL, handle);
}

sighandler_t own_signal(int signal, sighandler_t handler) TERRACE_INSTEAD_OF(signal);
sighandler_t own_signal(int signal, sighandler_t handler) {
  struct sigaction wanted, before;
  memset(&wanted, 0, sizeof wanted);
  wanted.sa_handler = handler;
  wanted.sa_flags = SA_RESTART;
  return own_sigaction(signal, &wanted, &before) == 0 ? before.sa_handler : SIG_ERR;
}

/// A process may send itself a signal: here the rank gets it.
int own_kill(pid_t process, int signal) TERRACE_INSTEAD_OF(kill);
int own_kill(pid_t process, int signal) {
  return terrace_rank_kill(this_rank(), process, signal);
}

}  // extern "C"
