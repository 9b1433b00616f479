// SPDX-License-Identifier: BSD-3-Clause
// Finds out whether this processor, kernel and libc let a thread's context run on another kernel
// thread. A libc to come may keep more in the kernel's thread than today's do.
#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <array>
#include <atomic>
#include <exception>
#include <stdexcept>

#include "fibres/fibres.hpp"

namespace terrace {

namespace {

/// Names what the processor and the kernel lack.
std::string lacking() {
#if defined(__x86_64__)
  constexpr unsigned kFsgsbase = 1;
  constexpr unsigned long kKernelAllows = 2;  // HWCAP2_FSGSBASE
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (b & kFsgsbase) == 0 ||
      (getauxval(AT_HWCAP2) & kKernelAllows) == 0)
    return "programs may not set their thread pointer here (fsgsbase)";
  unsigned long shadow_stack = 0;
  asm volatile("rdsspq %0" : "+r"(shadow_stack));  // does nothing without shadow stacks
  if (shadow_stack != 0) return "shadow stacks are on";
#elif !defined(__aarch64__)
  return "there is no switch of contexts for this processor";
#endif
  const long barriers = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  if (barriers < 0 || (barriers & MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0)
    return "the kernel has no membarrier";
  return "";
}

thread_local int own_variable = 0;

/// A trial: a thread does things that depend on what libc keeps for it, with switches in between.
struct SelfTest {
  FibreScheduler* scheduler = nullptr;
  int number = 0;
  const char* failure = nullptr;
};

void let_others_run() {
  for (int turn = 0; turn < 3; ++turn) fibre::pass(true);
}

const char* try_mutex() {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, &kind);
  bool is_right = pthread_mutex_lock(&mutex) == 0;
  let_others_run();
  is_right = is_right && pthread_mutex_lock(&mutex) == EDEADLK;
  let_others_run();
  is_right = pthread_mutex_unlock(&mutex) == 0 && is_right;
  pthread_mutex_destroy(&mutex);
  pthread_mutexattr_destroy(&kind);
  return is_right ? nullptr : "mutexes do not know their owner";
}

const char* try_exception(int number) {
  try {
    try {
      std::rethrow_exception(std::make_exception_ptr(number));
    } catch (int) {
      let_others_run();
      std::rethrow_exception(std::current_exception());
    }
  } catch (int caught) {
    let_others_run();
    if (caught == number && std::uncaught_exceptions() == 0) return nullptr;
  }
  return "exceptions are mixed up";
}

const char* try_memory() {
  std::array<void*, 24> blocks{};
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i] = malloc(24 + 40 * i);
    if (i % 8 == 0) let_others_run();
  }
  for (void* const block : blocks) free(block);
  return nullptr;
}

/// Tries whether libc's core is where the kernel's thread is, which is the worker's: libc may have
/// kept another answer.
const char* try_core() {
  cpu_set_t may_run_on;
  if (sched_getaffinity(0, sizeof may_run_on, &may_run_on) != 0) return nullptr;
  const int core = sched_getcpu();
  if (core >= 0 && core < CPU_SETSIZE && CPU_ISSET(core, &may_run_on)) return nullptr;
  return "libc does not know the core that a fibre runs on";
}

const char* tried(int number, pthread_t self) {
  own_variable = number;
  errno = 1000 + number;
  let_others_run();
  if (own_variable != number) return "thread-local variables are mixed up";
  if (errno != 1000 + number) return "errno is mixed up";
  if (pthread_equal(self, pthread_self()) == 0) return "pthread_self is another's";
  if (const char* const failure = try_mutex()) return failure;
  if (const char* const failure = try_exception(number)) return failure;
  if (const char* const failure = try_memory()) return failure;
  return try_core();
}

void* try_out(void* what) {
  SelfTest& trial = *static_cast<SelfTest*>(what);
  const pthread_t self = pthread_self();
  const pid_t home = gettid();
  if (!trial.scheduler->enter(0)) {
    trial.failure = "a thread cannot be parked";
    return nullptr;
  }
  trial.failure = tried(trial.number, self);
  if (trial.failure == nullptr && gettid() == home)
    trial.failure = "contexts do not leave their kernel thread";
  fibre::go_home();
  if (trial.failure == nullptr && (gettid() != home || own_variable != trial.number))
    trial.failure = "contexts do not return to their kernel thread";
  return nullptr;
}

}  // namespace

std::string obstacle_to_fibres(std::size_t stack_bytes) {
  if (const std::string what = lacking(); !what.empty()) return what;
  FibreSettings settings;
  settings.stack_bytes = stack_bytes;
  const std::unique_ptr<FibreScheduler> scheduler = FibreScheduler::begin(settings);
  if (scheduler == nullptr) return "there are no more threads";
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack_bytes != 0) pthread_attr_setstacksize(&attributes, stack_bytes);
  std::array<SelfTest, 2> trials;
  std::array<pthread_t, 2> threads;
  std::size_t started = 0;
  for (; started < trials.size(); ++started) {
    trials[started] = {scheduler.get(), static_cast<int>(started) + 1, nullptr};
    if (pthread_create(&threads[started], &attributes, try_out, &trials[started]) != 0) break;
  }
  pthread_attr_destroy(&attributes);
  for (std::size_t i = 0; i < started; ++i) pthread_join(threads[i], nullptr);
  if (started < trials.size()) return "there are no more threads";
  for (const SelfTest& trial : trials)
    if (trial.failure != nullptr) return trial.failure;
  return "";
}

}  // namespace terrace
