// SPDX-License-Identifier: BSD-3-Clause
// error, err, warn and their kin: messages that begin with the program's name, go to the rank's
// standard error, and may end the rank.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "launcher/rank_libc/rank_libc.hpp"

extern "C" {

/// The program's variables of these names.
char* own_name TERRACE_INSTEAD_OF(__progname_full) = nullptr;
char* own_short_name TERRACE_INSTEAD_OF(__progname) = nullptr;
extern char* own_name_too TERRACE_ALSO_AS(program_invocation_name, __progname_full);
extern char* own_short_name_too TERRACE_ALSO_AS(program_invocation_short_name, __progname);
unsigned own_message_count TERRACE_INSTEAD_OF(error_message_count) = 0;
int own_one_per_line TERRACE_INSTEAD_OF(error_one_per_line) = 0;
void (*own_print_name)() TERRACE_INSTEAD_OF(error_print_progname) = nullptr;

}  // extern "C"

namespace terrace::rank_libc {

namespace {

void begin_message(const char* after_name) {
  fflush(stdout);
  if (own_print_name != nullptr)
    own_print_name();
  else
    fprintf(stderr, "%s:%s", own_name, after_name);
}

void end_message(int status, int error) {
  ++own_message_count;
  char room[1024];
  if (error != 0) fprintf(stderr, ": %s", strerror_r(error, room, sizeof room));
  fputc('\n', stderr);
  fflush(stderr);
  if (status != 0) leave(status);
}

const char* last_file = nullptr;
unsigned last_line = 0;

/// Whether the last message of error_at_line was about this line.
bool is_repeated(const char* file, unsigned line) {
  const bool is_same_file = last_file == file || (last_file != nullptr && file != nullptr &&
                                                  strcmp(last_file, file) == 0);
  const bool is_same = is_same_file && last_line == line;
  last_file = file;
  last_line = line;
  return is_same;
}

void warn_with_error(const char* format, va_list values) {
  const int error = errno;
  flockfile(stderr);
  fprintf(stderr, "%s: ", own_short_name);
  if (format != nullptr) vfprintf(stderr, format, values);
  char room[1024];
  fprintf(stderr, "%s%s\n", format != nullptr ? ": " : "", strerror_r(error, room, sizeof room));
  funlockfile(stderr);
}

void warn_alone(const char* format, va_list values) {
  flockfile(stderr);
  fprintf(stderr, "%s: ", own_short_name);
  if (format != nullptr) vfprintf(stderr, format, values);
  fputc('\n', stderr);
  funlockfile(stderr);
}

}  // namespace

void begin_names(char* program) {
  char* const slash = strrchr(program, '/');
  own_name = program;
  own_short_name = slash == nullptr ? program : slash + 1;
}

const char* short_program_name() {
  return own_short_name;
}

}  // namespace terrace::rank_libc

using namespace terrace::rank_libc;

extern "C" {

void own_error(int status, int error, const char* format, ...) TERRACE_INSTEAD_OF(error);
void own_error(int status, int error, const char* format, ...) {
  begin_message(" ");
  va_list values;
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  end_message(status, error);
}

void own_error_at_line(int status, int error, const char* file, unsigned line, const char* format,
                       ...) TERRACE_INSTEAD_OF(error_at_line);
void own_error_at_line(int status, int error, const char* file, unsigned line, const char* format,
                       ...) {
  if (own_one_per_line != 0 && is_repeated(file, line)) return;
  begin_message("");
  if (file != nullptr)
    fprintf(stderr, "%s:%u: ", file, line);
  else
    fputc(' ', stderr);
  va_list values;
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  end_message(status, error);
}

void own_vwarn(const char* format, va_list values) TERRACE_INSTEAD_OF(vwarn);
void own_vwarn(const char* format, va_list values) {
  warn_with_error(format, values);
}

void own_vwarnx(const char* format, va_list values) TERRACE_INSTEAD_OF(vwarnx);
void own_vwarnx(const char* format, va_list values) {
  warn_alone(format, values);
}

void own_warn(const char* format, ...) TERRACE_INSTEAD_OF(warn);
void own_warn(const char* format, ...) {
  va_list values;
  va_start(values, format);
  warn_with_error(format, values);
  va_end(values);
}

void own_warnx(const char* format, ...) TERRACE_INSTEAD_OF(warnx);
void own_warnx(const char* format, ...) {
  va_list values;
  va_start(values, format);
  warn_alone(format, values);
  va_end(values);
}

[[noreturn]] void own_verr(int status, const char* format, va_list values) TERRACE_INSTEAD_OF(verr);
void own_verr(int status, const char* format, va_list values) {
  warn_with_error(format, values);
  leave(status);
}

[[noreturn]] void own_verrx(int status, const char* format, va_list values)
    TERRACE_INSTEAD_OF(verrx);
void own_verrx(int status, const char* format, va_list values) {
  warn_alone(format, values);
  leave(status);
}

[[noreturn]] void own_err(int status, const char* format, ...) TERRACE_INSTEAD_OF(err);
void own_err(int status, const char* format, ...) {
  va_list values;
  va_start(values, format);
  warn_with_error(format, values);
  leave(status);
}

[[noreturn]] void own_errx(int status, const char* format, ...) TERRACE_INSTEAD_OF(errx);
void own_errx(int status, const char* format, ...) {
  va_list values;
  va_start(values, format);
  warn_alone(format, values);
  leave(status);
}

/// Writes to the rank's standard error, which the program may have made another stream.
void own_perror(const char* text) TERRACE_INSTEAD_OF(perror);
void own_perror(const char* text) {
  char room[1024];
  const char* const error = strerror_r(errno, room, sizeof room);
  const bool has_text = text != nullptr && *text != '\0';
  fprintf(stderr, "%s%s%s\n", has_text ? text : "", has_text ? ": " : "", error);
}

}  // extern "C"
