// SPDX-License-Identifier: BSD-3-Clause
// Memory that shares no cache line with other memory, for data that one rank writes in every call
// while peers write theirs next to it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <vector>

#ifndef TERRACE_LINE_BYTES
#define TERRACE_LINE_BYTES 64
#endif

namespace terrace {

/// A cache line of the machines that this build is for (cmake/cache_lines.cmake). Not
/// std::hardware_destructive_interference_size, which compilers choose for themselves.
inline constexpr std::size_t kLineBytes = TERRACE_LINE_BYTES;
inline constexpr std::size_t kLongestLineBytes = 256;  ///< that a build can be for
static_assert(kLineBytes == 64 || kLineBytes == 128 || kLineBytes == kLongestLineBytes);

/// Bytes that travel together: two lines of 64 bytes, because the prefetcher of common machines
/// fetches them in pairs, or one line that is longer.
inline constexpr std::size_t kLinePairBytes = std::max(std::size_t{128}, kLineBytes);

template <class T>
struct CacheAlignedAllocator {
  using value_type = T;

  CacheAlignedAllocator() = default;
  template <class U>
  CacheAlignedAllocator(const CacheAlignedAllocator<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes =
        (count * sizeof(T) + kLinePairBytes - 1) / kLinePairBytes * kLinePairBytes;
    return static_cast<T*>(::operator new(bytes, std::align_val_t(kLinePairBytes)));
  }
  void deallocate(T* place, std::size_t) {
    ::operator delete(place, std::align_val_t(kLinePairBytes));
  }
  bool operator==(const CacheAlignedAllocator&) const = default;
};

template <class T>
using CacheAlignedVector = std::vector<T, CacheAlignedAllocator<T>>;

}  // namespace terrace
