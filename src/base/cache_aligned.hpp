// SPDX-License-Identifier: BSD-3-Clause
// Memory that shares no cache line with other memory, for data that one rank writes in every call
// while peers write theirs next to it.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace terrace {

/// Two cache lines, because the prefetcher of common machines fetches them in pairs.
inline constexpr std::size_t kLinePairBytes = 128;

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
