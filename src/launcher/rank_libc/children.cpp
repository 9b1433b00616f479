// SPDX-License-Identifier: BSD-3-Clause
// Processes that a rank makes are its children, as they would be a process's, and it waits for
// these alone.
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launcher/rank_libc/rank_libc.hpp"

using namespace terrace::rank_libc;

extern "C" {

pid_t own_fork() TERRACE_INSTEAD_OF(fork);
pid_t own_fork() {
  const pid_t child = fork_with_handlers();
  terrace_rank_note_child(this_rank(), child);
  return child;
}

/// Returns what vfork does in the parent, by what the system has answered.
[[gnu::used, gnu::visibility("hidden")]] pid_t terrace_after_vfork(long answer);
pid_t terrace_after_vfork(long answer) {
  if (answer < 0) {
    errno = static_cast<int>(-answer);
    return -1;
  }
  terrace_rank_note_child(this_rank(), static_cast<pid_t>(answer));
  return static_cast<pid_t>(answer);
}

// The child returns first, and writes where the parent's return address would be on the stack: it
// stays in a register.
#if defined(__x86_64__)
[[gnu::naked]] pid_t own_vfork() TERRACE_INSTEAD_OF(vfork);
[[gnu::naked]] pid_t own_vfork() {
  __asm__(
      "pop %rdi\n\t"
      "mov $58, %eax\n\t"  // SYS_vfork
      "syscall\n\t"
      "push %rdi\n\t"
      "test %rax, %rax\n\t"
      "jz 1f\n\t"
      "mov %rax, %rdi\n\t"
      "jmp terrace_after_vfork\n"
      "1:\n\t"
      "ret");
}
#elif defined(__aarch64__)
// Not every compiler has naked functions here. The hint is `bti c`: calls may arrive.
__asm__(
    ".pushsection .text\n\t"
    ".balign 4\n\t"
    ".globl vfork\n\t"
    ".type vfork, %function\n"
    "vfork:\n\t"
    "hint #34\n\t"
    "mov x0, #0x4111\n\t"  // CLONE_VM | CLONE_VFORK | SIGCHLD
    "mov x1, #0\n\t"
    "mov x8, #220\n\t"  // SYS_clone
    "svc #0\n\t"
    "cbz x0, 1f\n\t"
    "b terrace_after_vfork\n"
    "1:\n\t"
    "ret\n\t"
    ".size vfork, . - vfork\n\t"
    ".popsection");
#endif

int own_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
              const posix_spawnattr_t* attributes, char* const* words, char* const* variables)
    TERRACE_INSTEAD_OF(posix_spawn);
int own_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
              const posix_spawnattr_t* attributes, char* const* words, char* const* variables) {
  pid_t made = -1;
  const int failure =
      terrace_rank_spawn(&made, with_own_program(path), actions, attributes, words, variables);
  if (failure == 0) terrace_rank_note_child(this_rank(), made);
  if (failure == 0 && child != nullptr) *child = made;
  return failure;
}

int own_spawn_by_name(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,
                      const posix_spawnattr_t* attributes, char* const* words,
                      char* const* variables) TERRACE_INSTEAD_OF(posix_spawnp);
int own_spawn_by_name(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,
                      const posix_spawnattr_t* attributes, char* const* words,
                      char* const* variables) {
  char place[PATH_MAX];
  const char* const path = found_in_path(file, place);
  if (path == file && strchr(file, '/') == nullptr) return errno;
  return own_spawn(child, path, actions, attributes, words, variables);
}

int own_clone(int (*start)(void*), void* stack, int flags, void* argument, ...)
    TERRACE_INSTEAD_OF(clone);
int own_clone(int (*start)(void*), void* stack, int flags, void* argument, ...) {
  va_list list;
  va_start(list, argument);
  void* more[3];
  for (void*& one : more) one = va_arg(list, void*);
  va_end(list);
  const int child = terrace_rank_clone(start, stack, flags, argument, more);
  if ((flags & (CLONE_THREAD | CLONE_PARENT)) == 0) terrace_rank_note_child(this_rank(), child);
  return child;
}

pid_t own_wait(int* status) TERRACE_INSTEAD_OF(wait);
pid_t own_wait(int* status) {
  return terrace_rank_wait4(this_rank(), -1, status, 0, nullptr);
}

pid_t own_waitpid(pid_t child, int* status, int options) TERRACE_INSTEAD_OF(waitpid);
pid_t own_waitpid(pid_t child, int* status, int options) {
  return terrace_rank_wait4(this_rank(), child, status, options, nullptr);
}

pid_t own_wait3(int* status, int options, struct rusage* used) TERRACE_INSTEAD_OF(wait3);
pid_t own_wait3(int* status, int options, struct rusage* used) {
  return terrace_rank_wait4(this_rank(), -1, status, options, used);
}

pid_t own_wait4(pid_t child, int* status, int options, struct rusage* used)
    TERRACE_INSTEAD_OF(wait4);
pid_t own_wait4(pid_t child, int* status, int options, struct rusage* used) {
  return terrace_rank_wait4(this_rank(), child, status, options, used);
}

int own_waitid(idtype_t type, id_t id, siginfo_t* why, int options) TERRACE_INSTEAD_OF(waitid);
int own_waitid(idtype_t type, id_t id, siginfo_t* why, int options) {
  return terrace_rank_waitid(this_rank(), type, id, why, options);
}

}  // extern "C"
