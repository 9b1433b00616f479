// SPDX-License-Identifier: BSD-3-Clause
// Start and exit of a rank's program and its threads.
#include <dlfcn.h>
#include <errno.h>
#include <fpu_control.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

#include "launcher/rank_libc/locked.hpp"
#include "launcher/rank_libc/rank_libc.hpp"

extern "C" {

/// The program's variables of these names: the way in which it wants the processor to compute, and
/// the end of the stack of its main.
fpu_control_t own_fpu_control TERRACE_INSTEAD_OF(__fpu_control) = _FPU_DEFAULT;
void* own_stack_end TERRACE_INSTEAD_OF(__libc_stack_end) = nullptr;

}  // extern "C"

namespace terrace::rank_libc {

namespace {

terrace_rank* the_rank = nullptr;
bool has_begun = false;  ///< main
bool is_finalizing = false;

/// Runs before every other constructor of the rank's copies, as all of them need this library.
[[gnu::constructor]] void arrive() {
  the_rank = terrace_rank_arrive();
  begin_blocks();
  begin_streams();
  begin_variables(terrace_rank_variables(the_rank));
  begin_names(terrace_rank_program_name(the_rank));
  begin_zone();
  begin_obstacks();
}

/// A function to call at exit: with the argument, or with the code and the argument.
struct Handler {
  void (*call)(void*);
  void (*call_with_code)(int, void*);
  void* argument;
  void* library;
};

/// In the order of registration; grows as a program may register any number.
struct Handlers {
  Handler* all = nullptr;
  size_t count = 0, room = 0;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

  int add(const Handler& handler) {
    const Locked lock(mutex);
    if (!has_room_for_one_more(all, count, room)) return -1;
    all[count++] = handler;
    return 0;
  }

  /// The last one that is still registered; false if there is none. Handlers may register others.
  bool take(Handler& handler) {
    const Locked lock(mutex);
    const bool is_there = count > 0;
    if (is_there) handler = all[--count];
    return is_there;
  }
};
Handlers exit_handlers, quick_exit_handlers;

void call_all(Handlers& handlers, int code) {
  for (Handler handler; handlers.take(handler);) {
    if (handler.call != nullptr) handler.call(handler.argument);
    if (handler.call_with_code != nullptr) handler.call_with_code(code, handler.argument);
  }
}

/// Destructors of the calling thread's thread_local objects: libc's, which has no public name.
void call_thread_destructors() {
  using Function = void();
  if (void* const found = dlvsym(RTLD_DEFAULT, "__call_tls_dtors", "GLIBC_PRIVATE"))
    reinterpret_cast<Function*>(found)();
}

/// Functions that destroy a thread's own value, by key. A thread that has got the key sees its
/// entry: what has handed the key over orders both.
using Destructor = void(void*);
Destructor* destructors[PTHREAD_KEYS_MAX];

int create_key(pthread_key_t* key, Destructor* destroy) {
  const int failure = terrace_rank_create_key(key, destroy);
  if (failure == 0) destructors[*key] = destroy;
  return failure;
}

int delete_key(pthread_key_t key) {
  if (key < PTHREAD_KEYS_MAX) destructors[key] = nullptr;
  return terrace_rank_delete_key(key);
}

/// Destructors may set values again: then they are called again, but not for ever.
void destroy_by_keys() {
  bool are_any = true;
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS && are_any; ++round) {
    are_any = false;
    for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; ++key) {
      Destructor* const destroy = destructors[key];
      void* const value = destroy != nullptr ? pthread_getspecific(key) : nullptr;
      if (value == nullptr) continue;
      are_any = true;
      pthread_setspecific(key, nullptr);
      destroy(value);
    }
  }
}

struct ThreadStart {
  void* (*start)(void*);
  void* argument;
};

void* start_thread(void* what) {
  const ThreadStart start = *static_cast<ThreadStart*>(what);
  free(what);
  use_locale_of_rank();
  return start.start(start.argument);
}

struct StartOfC {
  thrd_start_t start;
  void* argument;
};

void* start_thread_of_c(void* what) {
  const StartOfC start = *static_cast<StartOfC*>(what);
  free(what);
  return reinterpret_cast<void*>(static_cast<intptr_t>(start.start(start.argument)));
}

}  // namespace

terrace_rank* this_rank() {
  return the_rank;
}

void leave(int code) {
  if (!has_begun) {  // in a constructor: not all that would be finalized is there
    end_streams();
    terrace_rank_end(the_rank, code);
  }
  call_thread_destructors();
  call_all(exit_handlers, code);
  const bool begins = !is_finalizing;  // they may call exit
  is_finalizing = true;
  if (begins) terrace_rank_finalize(the_rank);
  end_streams();
  terrace_rank_end(the_rank, code);
}

}  // namespace terrace::rank_libc

using namespace terrace::rank_libc;

extern "C" {

using MainFunction = int(int, char**, char**);

/// Called by the first instructions of every program. The loader has already called the
/// initializers that old programs pass, as for a library.
[[noreturn]] int start_main(MainFunction* main, int count, char** arguments, void (*)(), void (*)(),
                            void (*)(), void*) TERRACE_INSTEAD_OF(__libc_start_main);
int start_main(MainFunction* main, int count, char** arguments, void (*)(), void (*)(), void (*)(),
               void*) {
  has_begun = true;
  own_stack_end = arguments - 1;
  if (own_fpu_control != _FPU_DEFAULT) _FPU_SETCW(own_fpu_control);
  leave(main(count, arguments, variables()));
}

int add_exit_handler(void (*call)(void*), void* argument, void* library)
    TERRACE_INSTEAD_OF(__cxa_atexit);
int add_exit_handler(void (*call)(void*), void* argument, void* library) {
  return exit_handlers.add({call, nullptr, argument, library});
}

int add_exit_handler_with_code(void (*call)(int, void*), void* argument)
    TERRACE_INSTEAD_OF(on_exit);
int add_exit_handler_with_code(void (*call)(int, void*), void* argument) {
  return exit_handlers.add({nullptr, call, argument, nullptr});
}

int add_quick_exit_handler(void (*call)(void*), void* library)
    TERRACE_INSTEAD_OF(__cxa_at_quick_exit);
int add_quick_exit_handler(void (*call)(void*), void* library) {
  return quick_exit_handlers.add({call, nullptr, nullptr, library});
}

/// Called by the finalizer of each library, when everything has been called already.
void call_handlers_of(void* library) TERRACE_INSTEAD_OF(__cxa_finalize);
void call_handlers_of(void*) {}

[[noreturn]] void exit_rank(int code) TERRACE_INSTEAD_OF(exit);
void exit_rank(int code) {
  leave(code);
}

[[noreturn]] void exit_rank_now(int code) TERRACE_INSTEAD_OF(_exit);
void exit_rank_now(int code) {
  terrace_rank_end(the_rank, code);
}

[[noreturn]] void exit_rank_now_too(int code) TERRACE_INSTEAD_OF(_Exit);
void exit_rank_now_too(int code) {
  terrace_rank_end(the_rank, code);
}

[[noreturn]] void exit_rank_quickly(int code) TERRACE_INSTEAD_OF(quick_exit);
void exit_rank_quickly(int code) {
  call_all(quick_exit_handlers, code);
  terrace_rank_end(the_rank, code);
}

/// The program ends when its last thread does.
[[noreturn]] void exit_thread(void* value) TERRACE_INSTEAD_OF(pthread_exit);
void exit_thread(void* value) {
  if (!terrace_rank_is_main(the_rank)) terrace_rank_exit_thread(value);
  destroy_by_keys();
  terrace_rank_join_others(the_rank);
  leave(0);
}

// The end of the thread that runs main destroys by keys here, as that thread goes on.

int own_create_key(pthread_key_t* key, Destructor* destroy) TERRACE_INSTEAD_OF(pthread_key_create);
int own_create_key(pthread_key_t* key, Destructor* destroy) {
  return create_key(key, destroy);
}

int own_create_key_too(pthread_key_t* key, Destructor* destroy)
    TERRACE_INSTEAD_OF(__pthread_key_create);
int own_create_key_too(pthread_key_t* key, Destructor* destroy) {
  return create_key(key, destroy);
}

int own_delete_key(pthread_key_t key) TERRACE_INSTEAD_OF(pthread_key_delete);
int own_delete_key(pthread_key_t key) {
  return delete_key(key);
}

int own_create_key_of_c(tss_t* key, tss_dtor_t destroy) TERRACE_INSTEAD_OF(tss_create);
int own_create_key_of_c(tss_t* key, tss_dtor_t destroy) {
  return create_key(key, destroy) == 0 ? thrd_success : thrd_error;
}

void own_delete_key_of_c(tss_t key) TERRACE_INSTEAD_OF(tss_delete);
void own_delete_key_of_c(tss_t key) {
  delete_key(key);
}

int create_thread(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                  void* argument) TERRACE_INSTEAD_OF(pthread_create);
int create_thread(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                  void* argument) {
  auto* const what = static_cast<ThreadStart*>(malloc(sizeof(ThreadStart)));
  if (what == nullptr) return EAGAIN;
  *what = {start, argument};
  const int failure = terrace_rank_create_thread(the_rank, thread, attributes, start_thread, what);
  if (failure != 0) free(what);
  return failure;
}

int own_thread_attributes(pthread_t thread, pthread_attr_t* attributes)
    TERRACE_INSTEAD_OF(pthread_getattr_np);
int own_thread_attributes(pthread_t thread, pthread_attr_t* attributes) {
  return terrace_rank_thread_attributes(thread, attributes);
}

// C11's threads are the same, except for their return values.

int create_thread_of_c(thrd_t* thread, thrd_start_t start, void* argument)
    TERRACE_INSTEAD_OF(thrd_create);
int create_thread_of_c(thrd_t* thread, thrd_start_t start, void* argument) {
  auto* const what = static_cast<StartOfC*>(malloc(sizeof(StartOfC)));
  if (what == nullptr) return thrd_nomem;
  *what = {start, argument};
  const int failure = create_thread(thread, nullptr, start_thread_of_c, what);
  if (failure == 0) return thrd_success;
  free(what);
  return failure == ENOMEM ? thrd_nomem : thrd_error;
}

[[noreturn]] void exit_thread_of_c(int result) TERRACE_INSTEAD_OF(thrd_exit);
void exit_thread_of_c(int result) {
  exit_thread(reinterpret_cast<void*>(static_cast<intptr_t>(result)));
}

}  // extern "C"
