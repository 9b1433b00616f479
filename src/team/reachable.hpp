// SPDX-License-Identifier: BSD-3-Clause
// Memory of a process that its peers can use where it lies.
#pragma once

#include <cstddef>

#include "base/rank.hpp"

namespace terrace {

/// What a rank's own process has of it. Whether peers use a buffer there or a copy is decided call
/// by call, by its owner.
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

/// Copies from memory that only its own process has mapped, by the kernel.
class Puller {
 public:
  virtual ~Puller() = default;
  /// `bytes` from `from`, an address of that rank's process, to `to`. False: it could not be done;
  /// the user has been told, and the call cannot go on.
  virtual bool pull(Rank owner, const void* from, void* to, std::size_t bytes) noexcept = 0;
};

/// Makes memory that only its own process has mapped usable here, where it lies.
class Attacher {
 public:
  struct Place {
    std::byte* at = nullptr;  ///< never null
    /// False: it could not be done, and other memory of that size is here, so that the step can
    /// end; the user has been told, and the call cannot go on.
    bool is_right = true;
  };
  virtual ~Attacher() = default;
  /// Where `bytes` at `there`, an address of that rank's process, are here, at least until `leave`.
  virtual Place attach(Rank owner, const std::byte* there, std::size_t bytes) noexcept = 0;
  /// The call is over.
  virtual void leave() noexcept = 0;
};

}  // namespace terrace
