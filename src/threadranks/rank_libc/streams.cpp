// SPDX-License-Identifier: BSD-3-Clause
// A rank's own stdin, stdout and stderr, with their own buffers, and the functions of libc that use
// one of them implicitly.
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "threadranks/rank_libc/rank_libc.hpp"

extern "C" {

/// The program's variables of these names, at their actual addresses.
FILE* own_stdin TERRACE_INSTEAD_OF(stdin) = nullptr;
FILE* own_stdout TERRACE_INSTEAD_OF(stdout) = nullptr;
FILE* own_stderr TERRACE_INSTEAD_OF(stderr) = nullptr;

}  // extern "C"

namespace terrace::rank_libc {

void begin_streams() {
  if (own_stdout != nullptr) return;
  own_stdin = fdopen(STDIN_FILENO, "r");
  own_stdout = fdopen(STDOUT_FILENO, "w");
  own_stderr = fdopen(STDERR_FILENO, "w");
  setvbuf(own_stderr, nullptr, _IONBF, 0);
}

void end_streams() {
  if (own_stdout != nullptr) fflush(own_stdout);
  if (own_stderr != nullptr) fflush(own_stderr);
}

}  // namespace terrace::rank_libc

extern "C" {

int print_list(const char* format, va_list values) TERRACE_INSTEAD_OF(vprintf);
int print_list(const char* format, va_list values) {
  return vfprintf(own_stdout, format, values);
}

int print(const char* format, ...) TERRACE_INSTEAD_OF(printf);
int print(const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int written = vfprintf(own_stdout, format, values);
  va_end(values);
  return written;
}

// The names under -D_FORTIFY_SOURCE.
int print_list_checked(int, const char* format, va_list values) TERRACE_INSTEAD_OF(__vprintf_chk);
int print_list_checked(int, const char* format, va_list values) {
  return vfprintf(own_stdout, format, values);
}

int print_checked(int, const char* format, ...) TERRACE_INSTEAD_OF(__printf_chk);
int print_checked(int, const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int written = vfprintf(own_stdout, format, values);
  va_end(values);
  return written;
}

int put_line(const char* text) TERRACE_INSTEAD_OF(puts);
int put_line(const char* text) {
  flockfile(own_stdout);
  const bool is_written = fputs(text, own_stdout) >= 0 && fputc('\n', own_stdout) != EOF;
  funlockfile(own_stdout);
  return is_written ? 1 : EOF;
}

int put_character(int character) TERRACE_INSTEAD_OF(putchar);
int put_character(int character) {
  return fputc(character, own_stdout);
}

int put_character_unlocked(int character) TERRACE_INSTEAD_OF(putchar_unlocked);
int put_character_unlocked(int character) {
  return putc_unlocked(character, own_stdout);
}

int get_character() TERRACE_INSTEAD_OF(getchar);
int get_character() {
  return fgetc(own_stdin);
}

int get_character_unlocked() TERRACE_INSTEAD_OF(getchar_unlocked);
int get_character_unlocked() {
  return getc_unlocked(own_stdin);
}

// C's scanf since C99, under the names that headers give it.
int read_list(const char* format, va_list values) TERRACE_INSTEAD_OF(__isoc99_vscanf);
int read_list(const char* format, va_list values) {
  return vfscanf(own_stdin, format, values);
}

int read_values(const char* format, ...) TERRACE_INSTEAD_OF(__isoc99_scanf);
int read_values(const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int count = vfscanf(own_stdin, format, values);
  va_end(values);
  return count;
}

/// C23's scanf, which also reads binary numbers, under the names of newer headers.
int read_values_of_c23(const char* format, ...) TERRACE_INSTEAD_OF(__isoc23_scanf);
int read_values_of_c23(const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int count = vfscanf(own_stdin, format, values);
  va_end(values);
  return count;
}

}  // extern "C"
