// SPDX-License-Identifier: BSD-3-Clause
// Reasons why a process should not have a shared heap.
#pragma once

#include <cstdint>
#include <string>

namespace terrace {

/// A process's surroundings, as far as a shared heap depends on them.
struct HeapSurroundings {
  bool is_overcommit_forbidden = false;  ///< vm.overcommit_memory is 2
  bool is_address_space_limited = false;
  std::uint64_t most_file_bytes = ~std::uint64_t{0};
  bool has_sanitizer = false;  ///< a library of the compiler that brings its own malloc
  bool is_under_valgrind = false;
};

HeapSurroundings surroundings_here();

/// Why there should be none: half a sentence, with what to change; "" if nothing speaks against it.
std::string heap_obstacle(const HeapSurroundings& surroundings);

/// No file of a heap grows by less.
inline constexpr std::uint64_t kHeapGrowthBytes = std::uint64_t{64} << 20;

}  // namespace terrace
