// SPDX-License-Identifier: BSD-3-Clause
// Placement: where the threads of a team run, as far as this build can tell. With hwloc it is the
// machine and each thread's binding (placement.cpp), without it a flat machine
// (flat_placement.cpp).
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.hpp"
#include "hierarchy/hierarchy.hpp"

namespace terrace {

class Placement {
 public:
  virtual ~Placement() = default;

  /// Notes where the calling thread may run, as `rank`. Different ranks may do so concurrently.
  virtual void note(Rank rank) = 0;

  // To be asked when all ranks have been noted.
  virtual Hierarchy hierarchy() const = 0;
  /// How many of the threads can run at the same time.
  virtual std::uint32_t usable_pus() const = 0;
};

/// Reads the machine (once per process) and the environment. Announces on stderr, once per process,
/// when a machine is pretended. Errors: those of a machine that cannot be pretended.
Result<std::unique_ptr<Placement>> make_placement(Rank ranks);

/// One group of all ranks, on as many PUs as the system has.
std::unique_ptr<Placement> make_flat_placement(Rank ranks);

}  // namespace terrace
