// SPDX-License-Identifier: BSD-3-Clause
// The sentence of a thread's last failure.
#include "api/failures.hpp"

#include <cstdarg>
#include <cstdio>

namespace terrace {

namespace {

thread_local char last_error[kSentenceBytes] = "";

}  // namespace

const char* last_failure() noexcept {
  return last_error;
}

terrace_status fail(terrace_status status, const char* sentence, ...) noexcept {
  va_list arguments;
  va_start(arguments, sentence);
  std::vsnprintf(last_error, sizeof last_error, sentence, arguments);
  va_end(arguments);
  return status;
}

terrace_status fail(const Error& error, terrace_status on_system) noexcept {
  const terrace_status status = error.code == ErrorCode::argument      ? TERRACE_ERR_ARGUMENT
                                : error.code == ErrorCode::unsupported ? TERRACE_ERR_UNSUPPORTED
                                                                       : on_system;
  return fail(status, "%s", error.sentence.c_str());
}

}  // namespace terrace
