// SPDX-License-Identifier: BSD-3-Clause
// A rank's own stdin, stdout and stderr, with their own buffers, the functions of libc that use one
// of them implicitly, and the list of the rank's open streams: their files are open in the rank's
// threads alone, so nothing else can write at its end what is still in their buffers.
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <unistd.h>

#include "launcher/rank_libc/locked.hpp"
#include "launcher/rank_libc/rank_libc.hpp"

extern "C" {

/// The program's variables of these names, at their actual addresses.
FILE* own_stdin TERRACE_INSTEAD_OF(stdin) = nullptr;
FILE* own_stdout TERRACE_INSTEAD_OF(stdout) = nullptr;
FILE* own_stderr TERRACE_INSTEAD_OF(stderr) = nullptr;

}  // extern "C"

namespace terrace::rank_libc {

namespace {

/// Recursive, as a handler of signals may fork.
pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
/// Open streams, in the order of opening, and first the three that are always there.
FILE** open_streams = nullptr;
size_t count = 0, room = 0;
FILE* first_streams[3];

bool is_first(const FILE* stream) {
  for (const FILE* first : first_streams)
    if (stream == first) return true;
  return false;
}

/// In a process, these three are no memory of the heap: programs may use them when they are closed.
int close_first(FILE* stream) {
  terrace_rank_keep_thread(this_rank(), TERRACE_RANK_OWN_FILES);
  const int error = fflush(stream) == 0 ? 0 : errno;
  const int failure = close(fileno(stream));
  stream->_fileno = -1;
  if (error != 0) errno = error;
  return failure == 0 && error == 0 ? 0 : EOF;
}

/// A thread of the rank may be in the stream, and stay there.
void write_out_at_end(FILE* stream) {
  const bool is_free = ftrylockfile(stream) == 0;
  if (is_free || __freading(stream) == 0) fflush_unlocked(stream);
  if (is_free) funlockfile(stream);
}

}  // namespace

FILE* with_note(FILE* stream) {
  if (stream == nullptr) return nullptr;
  const Locked lock(mutex);
  // If there is no memory, the program may still close it itself.
  if (has_room_for_one_more(open_streams, count, room)) open_streams[count++] = stream;
  return stream;
}

int close_stream(FILE* stream) {
  if (is_first(stream)) return close_first(stream);
  {
    const Locked lock(mutex);
    size_t place = count;
    while (place > 0 && open_streams[place - 1] != stream) --place;
    for (; place > 0 && place < count; ++place) open_streams[place - 1] = open_streams[place];
    if (place > 0) --count;
  }
  return terrace_rank_close_stream(stream);
}

void begin_streams() {
  if (own_stdout != nullptr) return;
  first_streams[0] = own_stdin = fdopen(STDIN_FILENO, "r");
  first_streams[1] = own_stdout = fdopen(STDOUT_FILENO, "w");
  first_streams[2] = own_stderr = fdopen(STDERR_FILENO, "w");
  setvbuf(own_stderr, nullptr, _IONBF, 0);
  const bool is_terminal = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  if (is_terminal && terrace_rank_number(this_rank()) == 0) terrace_rank_prompt_by(own_stdout);
}

void end_streams() {
  const bool is_free = pthread_mutex_trylock(&mutex) == 0;
  for (size_t i = count; i > 0; --i) write_out_at_end(open_streams[i - 1]);
  if (is_free) pthread_mutex_unlock(&mutex);
}

void hold_streams() {
  pthread_mutex_lock(&mutex);
}

void release_streams(bool is_child) {
  release_after_fork(mutex, is_child);
}

}  // namespace terrace::rank_libc

using namespace terrace::rank_libc;

extern "C" {

FILE* own_fopen(const char* path, const char* mode) TERRACE_INSTEAD_OF(fopen);
FILE* own_fopen(const char* path, const char* mode) {
  return with_note(terrace_rank_open_stream(with_own_program(path), mode));
}

// Opens a stream as `fopen` does: on these machines all files may be long.
FILE* own_fopen64(const char* path, const char* mode) TERRACE_INSTEAD_OF(fopen64);
FILE* own_fopen64(const char* path, const char* mode) {
  return with_note(terrace_rank_open_stream(with_own_program(path), mode));
}

/// Standard output may become a file of the rank.
FILE* own_freopen(const char* path, const char* mode, FILE* stream) TERRACE_INSTEAD_OF(freopen);
FILE* own_freopen(const char* path, const char* mode, FILE* stream) {
  if (is_first(stream)) terrace_rank_keep_thread(this_rank(), TERRACE_RANK_OWN_FILES);
  return terrace_rank_reopen_stream(with_own_program(path), mode, stream);
}

FILE* own_freopen64(const char* path, const char* mode, FILE* stream) TERRACE_INSTEAD_OF(freopen64);
FILE* own_freopen64(const char* path, const char* mode, FILE* stream) {
  return own_freopen(path, mode, stream);
}

FILE* own_fdopen(int file, const char* mode) TERRACE_INSTEAD_OF(fdopen);
FILE* own_fdopen(int file, const char* mode) {
  return with_note(terrace_rank_open_stream_of_file(file, mode));
}

FILE* own_tmpfile() TERRACE_INSTEAD_OF(tmpfile);
FILE* own_tmpfile() {
  return with_note(terrace_rank_open_temporary_stream());
}

FILE* own_tmpfile64() TERRACE_INSTEAD_OF(tmpfile64);
FILE* own_tmpfile64() {
  return with_note(terrace_rank_open_temporary_stream());
}

FILE* own_fopencookie(void* cookie, const char* mode, cookie_io_functions_t functions)
    TERRACE_INSTEAD_OF(fopencookie);
FILE* own_fopencookie(void* cookie, const char* mode, cookie_io_functions_t functions) {
  return with_note(terrace_rank_open_stream_of_cookie(cookie, mode, functions));
}

/// Flushes `stream`, or all of this rank's: other streams belong to other tables of open files.
int own_fflush(FILE* stream) TERRACE_INSTEAD_OF(fflush);
int own_fflush(FILE* stream) {
  if (stream != nullptr) return terrace_rank_flush_stream(stream);
  const Locked lock(mutex);
  int failure = 0;
  for (size_t i = 0; i < count; ++i)
    if (__fpending(open_streams[i]) > 0 && terrace_rank_flush_stream(open_streams[i]) != 0)
      failure = EOF;
  return failure;
}

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

// C's scanf since C99, under the names that headers give it, and before.
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

int read_list_of_c89(const char* format, va_list values) TERRACE_INSTEAD_OF(vscanf);
int read_list_of_c89(const char* format, va_list values) {
  OfLibc<int(FILE*, const char*, va_list)> of_libc("vfscanf");
  return of_libc(own_stdin, format, values);
}

int read_values_of_c89(const char* format, ...) TERRACE_INSTEAD_OF(scanf);
int read_values_of_c89(const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int count = read_list_of_c89(format, values);
  va_end(values);
  return count;
}

}  // extern "C"
