// SPDX-License-Identifier: BSD-3-Clause
// The interface between the shared heap's library and the preload. Each finds the other in the
// process by name, and either may be missing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace terrace {

/// The address at which peers find a process's heap. Sent as bytes.
struct HeapAddress {
  std::int64_t process = 0;
  std::int64_t file = -1;   ///< the descriptor in that process; negative: it has no heap
  std::uint64_t inode = 0;  ///< by which to know that it is still the same file
  std::uint64_t begin = 0;  ///< where its owner has it
  std::uint64_t bytes = 0;  ///< of address space, not of memory
};

/// Bytes of its heap that a process uses.
struct HeapUse {
  std::size_t bytes = 0;
  std::size_t most_bytes = 0;
};

struct HeapInterface {
  std::uint32_t version = 0;
  /// Makes the heap if there is none yet.
  HeapAddress (*address)() noexcept = nullptr;
  /// Why there is none: half a sentence; "" if there is one.
  const char* (*obstacle)() noexcept = nullptr;
  /// A call begins in which peers use blocks of the heap where they lie; false: they may not, since
  /// this process has forked. After true, `leave` must follow.
  bool (*enter)() noexcept = nullptr;
  void (*leave)() noexcept = nullptr;
  HeapUse (*use)() noexcept = nullptr;
};

inline constexpr std::uint32_t kHeapInterfaceVersion = 1;
inline constexpr const char* kHeapInterfaceName = "terrace_heap_door";
using HeapInterfaceFinder = const HeapInterface* (*)();

}  // namespace terrace
