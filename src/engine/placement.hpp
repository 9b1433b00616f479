// SPDX-License-Identifier: BSD-3-Clause
// Placement: where the threads of a team run, as far as this build knows: each thread's binding
// and, with hwloc, its place on the machine (machine_placement.cpp).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "hierarchy/hierarchy.hpp"
#include "machine/pu_set.hpp"
#include "machine/quota.hpp"

namespace terrace {

/// By itself it knows no machine: its ranks share a node that nobody knows more about.
class Placement {
 public:
  explicit Placement(Rank ranks);
  virtual ~Placement() = default;

  /// Notes where the calling thread may run, as `rank`. Different ranks may do so concurrently.
  void note(Rank rank);

  // To be asked when all ranks have been noted.
  virtual Hierarchy hierarchy() const;
  /// How many of the threads can run at the same time. Bindings are the real ones in any case:
  /// pretending moves nobody, so it frees no core either.
  std::uint32_t usable_pus() const;
  /// Whether the system may run one of them on another core from one moment to the next.
  bool are_free_to_move() const;

 protected:
  const std::vector<PuSet>& bindings() const { return bindings_; }

 private:
  std::vector<PuSet> bindings_;  ///< entry i is written by rank i; empty: could not be read
  Quota quota_;
};

/// Of a part of a team, whose hierarchy is known from the whole.
class PlacementOfPart final : public Placement {
 public:
  explicit PlacementOfPart(Hierarchy hierarchy)
      : Placement(hierarchy.rank_count()), hierarchy_(std::move(hierarchy)) {}
  Hierarchy hierarchy() const override { return hierarchy_; }

 private:
  Hierarchy hierarchy_;
};

/// Reads the machine (once per process) and the environment. Announces on stderr, once per process,
/// when a machine is pretended. Errors: those of a machine that cannot be pretended.
Result<std::unique_ptr<Placement>> make_placement(Rank ranks);

}  // namespace terrace
