// SPDX-License-Identifier: BSD-3-Clause
// Failures of calls: a status, and a sentence that the thread keeps. No exception leaves a function
// of the C library.
#pragma once

#include <cstddef>
#include <exception>
#include <new>

#include "base/result.hpp"
#include "terrace/terrace.h"

namespace terrace {

inline constexpr std::size_t kSentenceBytes = 512;

/// The sentence of this thread's last failed call; "" if none failed.
const char* last_failure() noexcept;

/// Notes the sentence and passes the status on. Allocates nothing, so it also works without memory.
[[gnu::format(printf, 2, 3), gnu::cold]] terrace_status fail(terrace_status status,
                                                             const char* sentence, ...) noexcept;
terrace_status fail(const Error& error, terrace_status on_system) noexcept;

/// Makes statuses of exceptions.
template <class Work>
terrace_status guarded(Work&& work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return fail(TERRACE_ERR_MEMORY,
                "out of memory: the call did not take place; free some, or "
                "make the team with less scratch_bytes");
  } catch (const std::exception& exception) {
    return fail(TERRACE_ERR_SYSTEM, "the call did not take place: %s", exception.what());
  }
}

}  // namespace terrace
