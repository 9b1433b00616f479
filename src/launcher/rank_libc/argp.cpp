// SPDX-License-Identifier: BSD-3-Clause
// argp_parse and its kin: libc's parser with the rank's streams and variables, and with the options
// that libc adds, which print them. What ends a process ends the rank.
#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "launcher/rank_libc/rank_libc.hpp"

extern "C" {

/// The program's variables of these names.
const char* own_version TERRACE_INSTEAD_OF(argp_program_version) = nullptr;
void (*own_version_hook)(FILE*, argp_state*)
    TERRACE_INSTEAD_OF(argp_program_version_hook) = nullptr;
const char* own_bug_address TERRACE_INSTEAD_OF(argp_program_bug_address) = nullptr;
error_t own_error_status TERRACE_INSTEAD_OF(argp_err_exit_status) = EX_USAGE;

}  // extern "C"

namespace terrace::rank_libc {

namespace {

/// The program's flags of a parse: libc's parser is told not to exit, whatever they say.
struct Parsing {
  const argp_state* state;
  unsigned flags;
};
Parsing innermost = {nullptr, 0};

unsigned flags_of(const argp_state* state) {
  if (state == nullptr) return 0;
  return state == innermost.state ? innermost.flags : state->flags;
}

bool is_silent(const argp_state* state) {
  return (flags_of(state) & ARGP_NO_ERRS) != 0;
}

void leave_unless_asked_not_to(const argp_state* state, int status) {
  if ((flags_of(state) & ARGP_NO_EXIT) == 0) leave(status);
}

OfLibc<void(const argp_state*, FILE*, unsigned)> help_of_libc("argp_state_help");
OfLibc<void(const argp*, FILE*, unsigned, char*)> print_of_libc("argp_help");
OfLibc<error_t(const argp*, int, char**, unsigned, int*, void*)> parse_of_libc("argp_parse");

void help(const argp_state* state, FILE* stream, unsigned flags) {
  if (is_silent(state) || stream == nullptr) return;
  terrace_rank_print_bug_address(own_bug_address);
  help_of_libc(state, stream, flags & ~unsigned{ARGP_HELP_EXIT_ERR | ARGP_HELP_EXIT_OK});
  if ((flags & ARGP_HELP_EXIT_ERR) != 0) leave_unless_asked_not_to(state, own_error_status);
  if ((flags & ARGP_HELP_EXIT_OK) != 0) leave_unless_asked_not_to(state, 0);
}

/// The stream that a message goes to; null: none.
FILE* stream_of(const argp_state* state) {
  if (is_silent(state)) return nullptr;
  return state == nullptr ? stderr : state->err_stream;
}

const char* name_of(const argp_state* state) {
  return state == nullptr ? short_program_name() : state->name;
}

void complain(const argp_state* state, const char* format, va_list values) {
  FILE* const stream = stream_of(state);
  if (stream == nullptr) return;
  flockfile(stream);
  fprintf(stream, "%s: ", name_of(state));
  vfprintf(stream, format, values);
  fputc('\n', stream);
  help(state, stream, ARGP_HELP_STD_ERR);
  funlockfile(stream);
}

void fail(const argp_state* state, int error, const char* format, va_list values) {
  FILE* const stream = stream_of(state);
  if (stream == nullptr) return;
  flockfile(stream);
  fputs(name_of(state), stream);
  if (format != nullptr) {
    fputs(": ", stream);
    vfprintf(stream, format, values);
  }
  char room[1024];
  if (error != 0) fprintf(stream, ": %s", strerror_r(error, room, sizeof room));
  fputc('\n', stream);
  funlockfile(stream);
}

/// Stands above the program's own parser, and gives it the rank's streams.
error_t parse_first(int key, char*, argp_state* state) {
  if (key != ARGP_KEY_INIT) return ARGP_ERR_UNKNOWN;
  innermost.state = state;
  state->out_stream = stdout;
  state->err_stream = stderr;
  state->child_inputs[0] = state->input;
  return 0;
}

constexpr int kUsage = -3;
const argp_option help_options[] = {
    {"help", '?', nullptr, 0, "Give this help list", -1},
    {"usage", kUsage, nullptr, 0, "Give a short usage message", 0},
    {nullptr, 0, nullptr, 0, nullptr, 0},
};

error_t parse_help(int key, char*, argp_state* state) {
  if (key == '?')
    help(state, state->out_stream, ARGP_HELP_STD_HELP);
  else if (key == kUsage)
    help(state, state->out_stream, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
  else
    return ARGP_ERR_UNKNOWN;
  return 0;
}

const argp_option version_options[] = {
    {"version", 'V', nullptr, 0, "Print program version", -1},
    {nullptr, 0, nullptr, 0, nullptr, 0},
};

error_t parse_version(int key, char*, argp_state* state) {
  if (key != 'V') return ARGP_ERR_UNKNOWN;
  if (own_version_hook != nullptr)
    own_version_hook(state->out_stream, state);
  else
    fprintf(state->out_stream, "%s\n", own_version);
  leave_unless_asked_not_to(state, 0);
  return 0;
}

const argp help_argp = {help_options, parse_help, nullptr, nullptr, nullptr, nullptr, "libc"};
const argp version_argp = {version_options, parse_version, nullptr, nullptr,
                           nullptr,         nullptr,       "libc"};

error_t parse(const argp* programs, int count, char** words, unsigned flags, int* index,
              void* input) {
  argp_child children[4];
  memset(children, 0, sizeof children);
  size_t used = 0;
  if (programs != nullptr) children[used++].argp = programs;
  const bool has_more = (flags & ARGP_NO_HELP) == 0;
  const bool has_version = own_version != nullptr || own_version_hook != nullptr;
  if (has_more) children[used++].argp = &help_argp;
  if (has_more && has_version) children[used++].argp = &version_argp;
  const argp first = {nullptr, parse_first, nullptr, nullptr, children, nullptr, nullptr};
  return parse_of_libc(&first, count, words, flags | ARGP_NO_EXIT | ARGP_NO_HELP, index, input);
}

}  // namespace

}  // namespace terrace::rank_libc

using namespace terrace::rank_libc;

extern "C" {

error_t own_parse(const argp* programs, int count, char** words, unsigned flags, int* index,
                  void* input) TERRACE_INSTEAD_OF(argp_parse);
error_t own_parse(const argp* programs, int count, char** words, unsigned flags, int* index,
                  void* input) {
  const Parsing outer = innermost;
  innermost = {nullptr, flags};
  terrace_rank_print_bug_address(own_bug_address);
  const error_t error = parse(programs, count, words, flags, index, input);
  innermost = outer;
  // An option or argument that no parser knows: libc has said so, and would have ended the program.
  if (error == EINVAL && (flags & (ARGP_NO_EXIT | ARGP_NO_ERRS)) == 0) leave(own_error_status);
  return error;
}

void own_state_help(const argp_state* state, FILE* stream, unsigned flags)
    TERRACE_INSTEAD_OF(argp_state_help);
void own_state_help(const argp_state* state, FILE* stream, unsigned flags) {
  help(state, stream, flags);
}

void own_usage(const argp_state* state) TERRACE_INSTEAD_OF(argp_usage);
void own_usage(const argp_state* state) {
  help(state, stderr, ARGP_HELP_STD_USAGE);
}

void own_help(const argp* programs, FILE* stream, unsigned flags, char* name)
    TERRACE_INSTEAD_OF(argp_help);
void own_help(const argp* programs, FILE* stream, unsigned flags, char* name) {
  terrace_rank_print_bug_address(own_bug_address);
  print_of_libc(programs, stream, flags, name);
}

void own_argp_error(const argp_state* state, const char* format, ...)
    TERRACE_INSTEAD_OF(argp_error);
void own_argp_error(const argp_state* state, const char* format, ...) {
  va_list values;
  va_start(values, format);
  complain(state, format, values);
  va_end(values);
}

void own_argp_failure(const argp_state* state, int status, int error, const char* format, ...)
    TERRACE_INSTEAD_OF(argp_failure);
void own_argp_failure(const argp_state* state, int status, int error, const char* format, ...) {
  va_list values;
  va_start(values, format);
  fail(state, error, format, values);
  va_end(values);
  if (status != 0 && !is_silent(state)) leave_unless_asked_not_to(state, status);
}

}  // extern "C"
