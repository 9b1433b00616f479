// SPDX-License-Identifier: BSD-3-Clause
// The rank's environment: its own list, which starts as a copy of the job's.
#include <errno.h>
#include <limits.h>
#include <paths.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launcher/rank_libc/locked.hpp"
#include "launcher/rank_libc/rank_libc.hpp"

extern "C" {

/// The program's variable of these names, wherever the loader has put it.
char** own_environ TERRACE_INSTEAD_OF(environ) = nullptr;
extern char** own_environ_too TERRACE_ALSO_AS(__environ, environ);
extern char** own_environ_again TERRACE_ALSO_AS(_environ, environ);

}  // extern "C"

namespace terrace::rank_libc {

namespace {

/// Programs may call the functions below while they hold it in a signal handler's stead, or from
/// each other.
pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

size_t count_of(char** list) {
  size_t count = 0;
  while (list != nullptr && list[count] != nullptr) ++count;
  return count;
}

/// The list that we made last: the program may install another.
char** our_list = nullptr;
size_t room = 0;

bool make_room_for_one_more() {
  const size_t count = count_of(own_environ);
  if (own_environ == our_list && our_list != nullptr && count + 2 <= room) return true;
  const size_t larger = 2 * count + 16;
  char** const list = static_cast<char**>(calloc(larger, sizeof *list));
  if (list == nullptr) return false;
  if (count > 0) memcpy(list, own_environ, count * sizeof *list);
  // The previous list stays: the program may still read it.
  own_environ = our_list = list;
  room = larger;
  return true;
}

char** place_of(const char* name, size_t length) {
  for (char** one = own_environ; one != nullptr && *one != nullptr; ++one)
    if (strncmp(*one, name, length) == 0 && (*one)[length] == '=') return one;
  return nullptr;
}

int put(char* name_and_value, size_t length, bool replaces) {
  if (char** const place = place_of(name_and_value, length)) {
    if (replaces) *place = name_and_value;
    return 0;
  }
  if (!make_room_for_one_more()) return -1;
  own_environ[count_of(own_environ)] = name_and_value;
  return 0;
}

bool is_name(const char* name) {
  return name != nullptr && *name != '\0' && strchr(name, '=') == nullptr;
}

int refused() {
  errno = EINVAL;
  return -1;
}

/// Replaces the program (execve). The arguments, which end with a null, are on the stack, as a
/// child of vfork may call it; an environment may follow them.
int become(int (*start)(const char*, char* const*, char* const*), const char* program,
           const char* first, va_list more, bool has_environment = false) {
  va_list again;
  va_copy(again, more);
  size_t count = 1;
  while (va_arg(again, char*) != nullptr) ++count;
  va_end(again);
  auto** const words = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*)));
  words[0] = const_cast<char*>(first);
  for (size_t i = 1; i <= count; ++i) words[i] = va_arg(more, char*);
  return start(program, words, has_environment ? va_arg(more, char**) : own_environ);
}

}  // namespace

void begin_variables(char** first) {
  own_environ = first;
  make_room_for_one_more();
}

char** variables() {
  return own_environ;
}

// A child of vfork may call it: the path is the caller's, and nothing is locked.
const char* found_in_path(const char* file, char* path) {
  char** const place = place_of("PATH", 4);
  const char* folder = place == nullptr ? "/bin:/usr/bin" : *place + 5;
  const size_t length = strlen(file);
  int error = ENOENT;
  while (length > 0 && strchr(file, '/') == nullptr) {
    const size_t bytes = strcspn(folder, ":");
    if (bytes + length + 2 <= PATH_MAX) {
      memcpy(path, folder, bytes);
      path[bytes] = '/';
      memcpy(path + (bytes == 0 ? 0 : bytes + 1), file, length + 1);
      struct stat about;
      if (access(path, X_OK) == 0 && stat(path, &about) == 0 && S_ISREG(about.st_mode)) return path;
      if (errno == EACCES) error = EACCES;
    }
    if (folder[bytes] == '\0') break;
    folder += bytes + 1;
  }
  errno = error;
  return file;
}

}  // namespace terrace::rank_libc

using namespace terrace::rank_libc;

extern "C" {

char* own_getenv(const char* name) TERRACE_INSTEAD_OF(getenv);
char* own_getenv(const char* name) {
  const Locked lock(mutex);
  const size_t length = strlen(name);
  char** const place = length == 0 ? nullptr : place_of(name, length);
  return place == nullptr ? nullptr : *place + length + 1;
}

char* own_secure_getenv(const char* name) TERRACE_INSTEAD_OF(secure_getenv);
char* own_secure_getenv(const char* name) {
  return own_getenv(name);
}

int own_setenv(const char* name, const char* value, int replaces) TERRACE_INSTEAD_OF(setenv);
int own_setenv(const char* name, const char* value, int replaces) {
  if (!is_name(name)) return refused();
  const Locked lock(mutex);
  const size_t length = strlen(name), bytes = length + strlen(value) + 2;
  if (replaces == 0 && place_of(name, length) != nullptr) return 0;
  // Never freed, as in libc: the program may have kept the result of getenv.
  char* const text = static_cast<char*>(malloc(bytes));
  if (text == nullptr) return -1;
  memcpy(text, name, length);
  text[length] = '=';
  memcpy(text + length + 1, value, bytes - length - 1);
  return put(text, length, true);
}

int own_unsetenv(const char* name) TERRACE_INSTEAD_OF(unsetenv);
int own_unsetenv(const char* name) {
  if (!is_name(name)) return refused();
  const Locked lock(mutex);
  while (char** place = place_of(name, strlen(name))) do
      place[0] = place[1];
    while (*++place != nullptr);
  return 0;
}

int own_putenv(char* name_and_value) TERRACE_INSTEAD_OF(putenv);
int own_putenv(char* name_and_value) {
  const char* const equals = strchr(name_and_value, '=');
  if (equals == nullptr) return own_unsetenv(name_and_value);
  const Locked lock(mutex);
  return put(name_and_value, static_cast<size_t>(equals - name_and_value), true);
}

int own_clearenv() TERRACE_INSTEAD_OF(clearenv);
int own_clearenv() {
  const Locked lock(mutex);
  own_environ = nullptr;
  return 0;
}

// Other programs, which children of the rank become, inherit the rank's environment.
int own_execve(const char* path, char* const* words, char* const* list) TERRACE_INSTEAD_OF(execve);
int own_execve(const char* path, char* const* words, char* const* list) {
  return terrace_rank_become(this_rank(), with_own_program(path), words, list, ignored_signals());
}

int own_execvpe(const char* file, char* const* words, char* const* list)
    TERRACE_INSTEAD_OF(execvpe);
int own_execvpe(const char* file, char* const* words, char* const* list) {
  char place[PATH_MAX];
  const char* const path = found_in_path(file, place);
  if (path == file && strchr(file, '/') == nullptr) return -1;
  own_execve(path, words, list);
  if (errno != ENOEXEC) return -1;
  // A script that does not say by which program it is to be read.
  size_t count = 1;
  while (words[count - 1] != nullptr) ++count;
  char shell[] = _PATH_BSHELL;
  auto** const more = static_cast<char**>(__builtin_alloca((count + 2) * sizeof(char*)));
  more[0] = shell;
  more[1] = const_cast<char*>(path);
  more[2] = nullptr;
  if (count > 2) memcpy(more + 2, words + 1, (count - 1) * sizeof(char*));
  return own_execve(shell, more, list);
}

int own_execv(const char* path, char* const* words) TERRACE_INSTEAD_OF(execv);
int own_execv(const char* path, char* const* words) {
  return own_execve(path, words, own_environ);
}

int own_execvp(const char* file, char* const* words) TERRACE_INSTEAD_OF(execvp);
int own_execvp(const char* file, char* const* words) {
  return own_execvpe(file, words, own_environ);
}

int own_execl(const char* path, const char* first, ...) TERRACE_INSTEAD_OF(execl);
int own_execl(const char* path, const char* first, ...) {
  va_list more;
  va_start(more, first);
  const int failure = become(own_execve, path, first, more);
  va_end(more);
  return failure;
}

int own_execle(const char* path, const char* first, ...) TERRACE_INSTEAD_OF(execle);
int own_execle(const char* path, const char* first, ...) {
  va_list more;
  va_start(more, first);
  const int failure = become(own_execve, path, first, more, true);
  va_end(more);
  return failure;
}

int own_fexecve(int file, char* const* words, char* const* list) TERRACE_INSTEAD_OF(fexecve);
int own_fexecve(int file, char* const* words, char* const* list) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  return own_execve(path, words, list);
}

int own_execlp(const char* file, const char* first, ...) TERRACE_INSTEAD_OF(execlp);
int own_execlp(const char* file, const char* first, ...) {
  va_list more;
  va_start(more, first);
  const int failure = become(own_execvpe, file, first, more);
  va_end(more);
  return failure;
}

}  // extern "C"
