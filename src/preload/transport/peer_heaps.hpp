// SPDX-License-Identifier: BSD-3-Clause
// The shared heaps of a team's processes (docs/design/reach.md): this process's own, if its library
// is loaded, and those of its peers, mapped.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/rank.hpp"
#include "base/result.hpp"
#include "heap/heap_interface.hpp"
#include "team/reachable.hpp"

namespace terrace::preload {

/// Returns where this process has its heap; the file is negative if it has none.
HeapAddress own_heap_address();
/// Why it has none: half a sentence; "" if it has one, or none is asked for.
std::string own_heap_obstacle();
HeapUse own_heap_use();
/// Its heap as calls see it; null without one. Never destroyed.
Reachable* own_heap();

class MappedHeap;

/// All heaps of a team, at this process's addresses.
class PeerHeaps {
 public:
  /// Maps those of the others. An address without a file is an error.
  static Result<std::unique_ptr<PeerHeaps>> map(std::span<const HeapAddress> addresses, Rank own);

  /// Returns the distance from an address of that rank's to the same byte's here.
  std::ptrdiff_t shift(Rank rank) const;

 private:
  std::vector<std::shared_ptr<const MappedHeap>> mapped_;  ///< null for this process's own
};

}  // namespace terrace::preload
