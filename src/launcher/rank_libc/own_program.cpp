// SPDX-License-Identifier: BSD-3-Clause
// The program of the process, as the kernel names it in /proc, is the launcher. Where a rank asks
// for it by these names, it gets its own program, as a process would: to start itself again, or to
// find files beside it.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launcher/rank_libc/rank_libc.hpp"

/// Libc's, for callers compiled with -D_FORTIFY_SOURCE: ends the program with a message.
extern "C" [[noreturn]] void __chk_fail();

namespace terrace::rank_libc {

namespace {

bool is_own_program(const char* path) {
  constexpr char kFolder[] = "/proc/", kFile[] = "/exe";
  if (path == nullptr || strncmp(path, kFolder, sizeof kFolder - 1) != 0) return false;
  const char* const who = path + sizeof kFolder - 1;
  const char* const end = strchr(who, '/');
  if (end == nullptr || strcmp(end, kFile) != 0) return false;
  const auto length = static_cast<size_t>(end - who);
  const auto is = [&](const char* name) {
    return strlen(name) == length && memcmp(who, name, length) == 0;
  };
  char number[16];
  snprintf(number, sizeof number, "%d", getpid());
  return is("self") || is("thread-self") || is(number);
}

/// Writes the content of the link, as readlink does; -1: there is no room for any.
ssize_t put_program(char* place, size_t room) {
  const char* const program = terrace_rank_program(this_rank());
  const size_t bytes = strnlen(program, room);
  if (room == 0) {
    errno = EINVAL;
    return -1;
  }
  memcpy(place, program, bytes);
  return static_cast<ssize_t>(bytes);
}

ssize_t link_at(int folder, const char* path, char* place, size_t room) {
  if (is_own_program(path)) return put_program(place, room);
  return syscall(SYS_readlinkat, folder, path, place, room);
}

void expect_room(size_t wanted, size_t there) {
  if (wanted > there) __chk_fail();
}

OfLibc<char*(const char*, char*)> path_of_libc("realpath");
OfLibc<int(int, const char*, int, ...)> open_of_libc("openat");

char* resolved(const char* path, char* place) {
  char* const found = path_of_libc(with_own_program(path), place);
  return place == nullptr ? text_of_program(found) : found;
}

bool wants_mode(int flags) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

/// Declares the mode that follows `flags`, if there is one.
#define TERRACE_MODE(flags, mode)                       \
  mode_t mode = 0;                                      \
  if (wants_mode(flags)) {                              \
    va_list list;                                       \
    va_start(list, flags);                              \
    mode = static_cast<mode_t>(va_arg(list, unsigned)); \
    va_end(list);                                       \
  }

int open_at(int folder, const char* path, int flags, mode_t mode) {
  return open_of_libc(folder, with_own_program(path), flags, mode);
}

}  // namespace

const char* with_own_program(const char* path) {
  return is_own_program(path) ? terrace_rank_program(this_rank()) : path;
}

}  // namespace terrace::rank_libc

using namespace terrace::rank_libc;

extern "C" {

ssize_t own_readlink(const char* path, char* place, size_t room) TERRACE_INSTEAD_OF(readlink);
ssize_t own_readlink(const char* path, char* place, size_t room) {
  return link_at(AT_FDCWD, path, place, room);
}

ssize_t own_readlinkat(int folder, const char* path, char* place, size_t room)
    TERRACE_INSTEAD_OF(readlinkat);
ssize_t own_readlinkat(int folder, const char* path, char* place, size_t room) {
  return link_at(folder, path, place, room);
}

ssize_t own_readlink_checked(const char* path, char* place, size_t room, size_t there)
    TERRACE_INSTEAD_OF(__readlink_chk);
ssize_t own_readlink_checked(const char* path, char* place, size_t room, size_t there) {
  expect_room(room, there);
  return link_at(AT_FDCWD, path, place, room);
}

ssize_t own_readlinkat_checked(int folder, const char* path, char* place, size_t room, size_t there)
    TERRACE_INSTEAD_OF(__readlinkat_chk);
ssize_t own_readlinkat_checked(int folder, const char* path, char* place, size_t room,
                               size_t there) {
  expect_room(room, there);
  return link_at(folder, path, place, room);
}

char* own_realpath(const char* path, char* place) TERRACE_INSTEAD_OF(realpath);
char* own_realpath(const char* path, char* place) {
  return resolved(path, place);
}

char* own_realpath_checked(const char* path, char* place, size_t there)
    TERRACE_INSTEAD_OF(__realpath_chk);
char* own_realpath_checked(const char* path, char* place, size_t there) {
  expect_room(PATH_MAX, there);
  return resolved(path, place);
}

char* own_canonical_name(const char* path) TERRACE_INSTEAD_OF(canonicalize_file_name);
char* own_canonical_name(const char* path) {
  return resolved(path, nullptr);
}

// Names for long files are the same functions on these machines.

int own_open(const char* path, int flags, ...) TERRACE_INSTEAD_OF(open);
int own_open(const char* path, int flags, ...) {
  TERRACE_MODE(flags, mode)
  return open_at(AT_FDCWD, path, flags, mode);
}

int own_open64(const char* path, int flags, ...) TERRACE_INSTEAD_OF(open64);
int own_open64(const char* path, int flags, ...) {
  TERRACE_MODE(flags, mode)
  return open_at(AT_FDCWD, path, flags, mode);
}

int own_openat(int folder, const char* path, int flags, ...) TERRACE_INSTEAD_OF(openat);
int own_openat(int folder, const char* path, int flags, ...) {
  TERRACE_MODE(flags, mode)
  return open_at(folder, path, flags, mode);
}

int own_openat64(int folder, const char* path, int flags, ...) TERRACE_INSTEAD_OF(openat64);
int own_openat64(int folder, const char* path, int flags, ...) {
  TERRACE_MODE(flags, mode)
  return open_at(folder, path, flags, mode);
}

// Under -D_FORTIFY_SOURCE, where no mode is given.
int own_open_checked(const char* path, int flags) TERRACE_INSTEAD_OF(__open_2);
int own_open_checked(const char* path, int flags) {
  if (wants_mode(flags)) __chk_fail();
  return open_at(AT_FDCWD, path, flags, 0);
}

int own_open64_checked(const char* path, int flags) TERRACE_INSTEAD_OF(__open64_2);
int own_open64_checked(const char* path, int flags) {
  return own_open_checked(path, flags);
}

int own_openat_checked(int folder, const char* path, int flags) TERRACE_INSTEAD_OF(__openat_2);
int own_openat_checked(int folder, const char* path, int flags) {
  if (wants_mode(flags)) __chk_fail();
  return open_at(folder, path, flags, 0);
}

int own_openat64_checked(int folder, const char* path, int flags) TERRACE_INSTEAD_OF(__openat64_2);
int own_openat64_checked(int folder, const char* path, int flags) {
  return own_openat_checked(folder, path, flags);
}

}  // extern "C"
