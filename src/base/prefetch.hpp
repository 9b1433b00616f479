// SPDX-License-Identifier: BSD-3-Clause
// Fetches a cache line that will be written.
#pragma once

namespace terrace {

/// A hint: takes the line from cores that have read it, so that a later store need not wait.
inline void prefetch_for_writing(const void* line) noexcept {
#if defined(__x86_64__)
  // Compilers for all x86-64 processors make a prefetch for reading of the builtin.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(line)));
#else
  __builtin_prefetch(line, 1);
#endif
}

}  // namespace terrace
