// SPDX-License-Identifier: BSD-3-Clause
// Memory of a peer that is attached here (XPMEM), and then used where it lies.
#pragma once

#include <cstddef>

#include "base/rank.hpp"

namespace terrace {

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
  /// Returns where `bytes` at `there`, an address of that rank's process, are here, at least until
  /// `leave`.
  virtual Place attach(Rank owner, const std::byte* there, std::size_t bytes) noexcept = 0;
  /// The call is over.
  virtual void leave() noexcept = 0;
};

}  // namespace terrace
