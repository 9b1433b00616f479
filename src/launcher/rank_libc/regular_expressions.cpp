// SPDX-License-Identifier: BSD-3-Clause
// GNU's and BSD's functions of regular expressions that keep the syntax, or the last expression, in
// variables.
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "launcher/rank_libc/rank_libc.hpp"

extern "C" {

/// The program's variable of that name.
reg_syntax_t own_syntax TERRACE_INSTEAD_OF(re_syntax_options) = 0;

}  // extern "C"

namespace terrace::rank_libc {

namespace {

re_pattern_buffer last_pattern;  ///< of re_comp

char* without_const(const char* error) {
  return const_cast<char*>(error);
}

}  // namespace

}  // namespace terrace::rank_libc

using namespace terrace::rank_libc;

extern "C" {

reg_syntax_t own_set_syntax(reg_syntax_t syntax) TERRACE_INSTEAD_OF(re_set_syntax);
reg_syntax_t own_set_syntax(reg_syntax_t syntax) {
  const reg_syntax_t before = own_syntax;
  own_syntax = syntax;
  return before;
}

const char* own_compile(const char* text, size_t bytes, re_pattern_buffer* pattern)
    TERRACE_INSTEAD_OF(re_compile_pattern);
const char* own_compile(const char* text, size_t bytes, re_pattern_buffer* pattern) {
  return terrace_rank_compile_pattern(own_syntax, text, bytes, pattern);
}

char* own_comp(const char* text) TERRACE_INSTEAD_OF(re_comp);
char* own_comp(const char* text) {
  if (text == nullptr)
    return last_pattern.buffer == nullptr ? without_const("No previous regular expression")
                                          : nullptr;
  regfree(&last_pattern);
  memset(&last_pattern, 0, sizeof last_pattern);
  return without_const(own_compile(text, strlen(text), &last_pattern));
}

int own_exec(const char* text) TERRACE_INSTEAD_OF(re_exec);
int own_exec(const char* text) {
  const auto length = static_cast<regoff_t>(strlen(text));
  return re_search(&last_pattern, text, length, 0, length, nullptr) >= 0 ? 1 : 0;
}

}  // extern "C"
