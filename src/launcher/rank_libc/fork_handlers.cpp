// SPDX-License-Identifier: BSD-3-Clause
// What a rank has registered by pthread_atfork: called at its own forks only, as they would be in a
// process.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "launcher/rank_libc/locked.hpp"
#include "launcher/rank_libc/rank_libc.hpp"

namespace terrace::rank_libc {

namespace {

using Function = void();

struct ForkHandlers {
  Function* before;
  Function* in_parent;
  Function* in_child;
};

/// In the order of registration. Held during a fork; handlers may register others.
pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
ForkHandlers* all = nullptr;
size_t count = 0, room = 0;

int add(const ForkHandlers& handlers) {
  const Locked lock(mutex);
  if (!has_room_for_one_more(all, count, room)) return ENOMEM;
  all[count++] = handlers;
  return 0;
}

void call(Function* function) {
  if (function != nullptr) function();
}

}  // namespace

pid_t fork_with_handlers() {
  // First of all: constructors of libraries that are opened may fork, and write.
  terrace_rank_hold_opening();
  pthread_mutex_lock(&mutex);
  const size_t known = count;
  for (size_t i = known; i > 0; --i) call(all[i - 1].before);
  hold_shells();  // first, as popen opens streams
  hold_streams();
  const pid_t child = terrace_rank_fork();
  terrace_rank_release_opening(child == 0);
  release_streams(child == 0);
  release_shells(child == 0);
  if (child == 0) release_after_fork(mutex, true);
  for (size_t i = 0; i < known; ++i) call(child == 0 ? all[i].in_child : all[i].in_parent);
  if (child != 0) release_after_fork(mutex, false);
  return child;
}

}  // namespace terrace::rank_libc

using namespace terrace::rank_libc;

extern "C" {

/// Stands in for what libc's part of a program calls for pthread_atfork.
int own_register_atfork(Function* before, Function* in_parent, Function* in_child, void* library)
    TERRACE_INSTEAD_OF(__register_atfork);
int own_register_atfork(Function* before, Function* in_parent, Function* in_child, void*) {
  return add({before, in_parent, in_child});
}

/// Serves programs that were linked to older ones.
int own_atfork(Function* before, Function* in_parent, Function* in_child)
    TERRACE_INSTEAD_OF(pthread_atfork);
int own_atfork(Function* before, Function* in_parent, Function* in_child) {
  return add({before, in_parent, in_child});
}

}  // extern "C"
