// SPDX-License-Identifier: BSD-3-Clause
// Single copies by the kernel (CMA): memory of a peer that is not mapped here is copied from there.
#pragma once

#include <cstddef>

#include "base/rank.hpp"

namespace terrace {

/// Copies from memory that only its own process has mapped, by the kernel.
class Puller {
 public:
  virtual ~Puller() = default;
  /// `bytes` from `from`, an address of that rank's process, to `to`. False: it could not be done;
  /// the user has been told, and the call cannot go on.
  virtual bool pull(Rank owner, const void* from, void* to, std::size_t bytes) noexcept = 0;
};

}  // namespace terrace
