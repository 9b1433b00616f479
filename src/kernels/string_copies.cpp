// SPDX-License-Identifier: BSD-3-Clause
// Asks the processor for its string instructions, and copies by them.
#include "kernels/string_copies.hpp"

#include <cstring>

#include "base/contract.hpp"
#include "kernels/overlap.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace terrace {

bool can_copy_by_string() {
#if defined(__x86_64__)
  static const bool can = [] {
    constexpr unsigned kErms = 1u << 9;
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kErms) != 0;
  }();
  return can;
#else
  return false;
#endif
}

void copy_by_string(const void* from, void* to, std::size_t bytes) noexcept {
  TERRACE_ASSERT(!overlap_partly(from, to, bytes), from, to, bytes);
  if (from == to) return;
// Sanitizers see into memcpy, but into no instruction.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
#else
  std::memcpy(to, from, bytes);
#endif
}

}  // namespace terrace
