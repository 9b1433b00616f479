// SPDX-License-Identifier: BSD-3-Clause
// Tells whether vectors lie where kernels may not have them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace terrace {

/// Whether two vectors of `bytes` bytes overlap, but do not begin together.
inline bool overlap_partly(const void* one, const void* other, std::size_t bytes) {
  const auto a = reinterpret_cast<std::uintptr_t>(one), b = reinterpret_cast<std::uintptr_t>(other);
  return a != b && a < b + bytes && b < a + bytes;
}

}  // namespace terrace
