// SPDX-License-Identifier: BSD-3-Clause
// Calls that change what the kernel keeps for a thread, for its open files or for its working
// directory. A fibre would change them for all ranks of its worker, so a rank that makes such a
// call is a thread from then on. Without fibres, each of these is libc's function. What of them
// starts a call of the system makes it directly: libc's own functions do no more.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launcher/rank_libc/rank_libc.hpp"

using terrace::rank_libc::this_rank;

namespace {

void keep_thread() {
  terrace_rank_keep_thread(this_rank(), TERRACE_RANK_OWN_THREAD);
}

int change_user(long call, long first, long second = 0, long third = 0) {
  return static_cast<int>(terrace_rank_change_user(this_rank(), call, first, second, third));
}

/// Whether ranks have a file in common as fibres: standard input, output and error.
bool is_standard(int file) {
  return file >= STDIN_FILENO && file <= STDERR_FILENO;
}

}  // namespace

extern "C" {

int own_sigmask(int how, const sigset_t* set, sigset_t* before) TERRACE_INSTEAD_OF(pthread_sigmask);
int own_sigmask(int how, const sigset_t* set, sigset_t* before) {
  if (set != nullptr) keep_thread();
  return terrace_rank_mask_signals(how, set, before);
}

int own_procmask(int how, const sigset_t* set, sigset_t* before) TERRACE_INSTEAD_OF(sigprocmask);
int own_procmask(int how, const sigset_t* set, sigset_t* before) {
  const int failure = own_sigmask(how, set, before);
  if (failure == 0) return 0;
  errno = failure;
  return -1;
}

int own_sigaltstack(const stack_t* stack, stack_t* before) TERRACE_INSTEAD_OF(sigaltstack);
int own_sigaltstack(const stack_t* stack, stack_t* before) {
  if (stack != nullptr) keep_thread();
  return static_cast<int>(syscall(SYS_sigaltstack, stack, before));
}

int own_protocol(pthread_mutexattr_t* attributes, int protocol)
    TERRACE_INSTEAD_OF(pthread_mutexattr_setprotocol);
int own_protocol(pthread_mutexattr_t* attributes, int protocol) {
  if (protocol != PTHREAD_PRIO_NONE) keep_thread();
  return terrace_rank_set_protocol(attributes, protocol);
}

int own_affinity(pid_t thread, size_t bytes, const cpu_set_t* set)
    TERRACE_INSTEAD_OF(sched_setaffinity);
int own_affinity(pid_t thread, size_t bytes, const cpu_set_t* set) {
  keep_thread();
  return static_cast<int>(syscall(SYS_sched_setaffinity, thread, bytes, set));
}

int own_affinity_of_thread(pthread_t thread, size_t bytes, const cpu_set_t* set)
    TERRACE_INSTEAD_OF(pthread_setaffinity_np);
int own_affinity_of_thread(pthread_t thread, size_t bytes, const cpu_set_t* set) {
  keep_thread();
  return terrace_rank_bind_thread(thread, bytes, set);
}

int own_setuid(uid_t id) TERRACE_INSTEAD_OF(setuid);
int own_setuid(uid_t id) {
  return change_user(SYS_setuid, id);
}

int own_setgid(gid_t id) TERRACE_INSTEAD_OF(setgid);
int own_setgid(gid_t id) {
  return change_user(SYS_setgid, id);
}

int own_seteuid(uid_t id) TERRACE_INSTEAD_OF(seteuid);
int own_seteuid(uid_t id) {
  return change_user(SYS_setresuid, -1, id, -1);
}

int own_setegid(gid_t id) TERRACE_INSTEAD_OF(setegid);
int own_setegid(gid_t id) {
  return change_user(SYS_setresgid, -1, id, -1);
}

int own_setreuid(uid_t real, uid_t effective) TERRACE_INSTEAD_OF(setreuid);
int own_setreuid(uid_t real, uid_t effective) {
  return change_user(SYS_setreuid, real, effective);
}

int own_setregid(gid_t real, gid_t effective) TERRACE_INSTEAD_OF(setregid);
int own_setregid(gid_t real, gid_t effective) {
  return change_user(SYS_setregid, real, effective);
}

int own_setresuid(uid_t real, uid_t effective, uid_t saved) TERRACE_INSTEAD_OF(setresuid);
int own_setresuid(uid_t real, uid_t effective, uid_t saved) {
  return change_user(SYS_setresuid, real, effective, saved);
}

int own_setresgid(gid_t real, gid_t effective, gid_t saved) TERRACE_INSTEAD_OF(setresgid);
int own_setresgid(gid_t real, gid_t effective, gid_t saved) {
  return change_user(SYS_setresgid, real, effective, saved);
}

int own_setgroups(size_t count, const gid_t* groups) TERRACE_INSTEAD_OF(setgroups);
int own_setgroups(size_t count, const gid_t* groups) {
  return change_user(SYS_setgroups, static_cast<long>(count), reinterpret_cast<long>(groups));
}

int own_directory(const char* path) TERRACE_INSTEAD_OF(chdir);
int own_directory(const char* path) {
  terrace_rank_keep_thread(this_rank(), TERRACE_RANK_OWN_DIRECTORY);
  return static_cast<int>(syscall(SYS_chdir, path));
}

int own_directory_of_file(int file) TERRACE_INSTEAD_OF(fchdir);
int own_directory_of_file(int file) {
  terrace_rank_keep_thread(this_rank(), TERRACE_RANK_OWN_DIRECTORY);
  return static_cast<int>(syscall(SYS_fchdir, file));
}

int own_dup2(int from, int to) TERRACE_INSTEAD_OF(dup2);
int own_dup2(int from, int to) {
  if (is_standard(to)) terrace_rank_keep_thread(this_rank(), TERRACE_RANK_OWN_FILES);
  // dup3 does not take two equal ones.
  if (from == to) return fcntl(from, F_GETFD) < 0 ? -1 : to;
  return static_cast<int>(syscall(SYS_dup3, from, to, 0));
}

int own_dup3(int from, int to, int flags) TERRACE_INSTEAD_OF(dup3);
int own_dup3(int from, int to, int flags) {
  if (is_standard(to)) terrace_rank_keep_thread(this_rank(), TERRACE_RANK_OWN_FILES);
  return static_cast<int>(syscall(SYS_dup3, from, to, flags));
}

int own_close(int file) TERRACE_INSTEAD_OF(close);
int own_close(int file) {
  if (is_standard(file)) terrace_rank_keep_thread(this_rank(), TERRACE_RANK_OWN_FILES);
  return static_cast<int>(syscall(SYS_close, file));
}

int own_kill_of_thread(pthread_t thread, int signal) TERRACE_INSTEAD_OF(pthread_kill);
int own_kill_of_thread(pthread_t thread, int signal) {
  return terrace_rank_kill_thread(this_rank(), thread, signal);
}

}  // extern "C"
