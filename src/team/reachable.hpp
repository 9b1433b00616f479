// SPDX-License-Identifier: BSD-3-Clause
// Memory of a process that its peers can use where it lies.
#pragma once

#include <cstddef>

namespace terrace {

/// Memory of a rank as its own process has it. Whether peers use a buffer there or a copy is
/// decided call by call, by its owner.
class Reachable {
 public:
  virtual ~Reachable() = default;
  /// Whether all of these bytes lie in it.
  virtual bool covers(const void* begin, std::size_t bytes) const noexcept = 0;
  /// A call begins in which peers use it; false: they may not, for now. After true, `leave` must
  /// follow.
  virtual bool enter() noexcept = 0;
  virtual void leave() noexcept = 0;
};

}  // namespace terrace
