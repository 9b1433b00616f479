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
#include "os/pu_set.hpp"
#include "os/quota.hpp"

namespace terrace {

/// The base class knows no machine: its ranks share a node of unknown structure.
class Placement {
 public:
  explicit Placement(Rank ranks);
  virtual ~Placement() = default;

  /// Records where the calling thread may run, as `rank`. Different ranks may do so concurrently.
  void note(Rank rank);
  /// Records that `rank` runs on these PUs.
  void note(Rank rank, PuSet binding) { bindings_[rank] = std::move(binding); }

  // Valid when all ranks have been recorded.
  virtual Hierarchy hierarchy() const;
  /// Returns the number of threads that can run at the same time. Always counts the real bindings:
  /// a pretended machine frees no core.
  std::uint32_t usable_pus() const;
  /// Whether the system may move one of them to another core at any time.
  bool are_free_to_move() const;
  /// PUs where each rank may run; empty: that could not be read.
  const std::vector<PuSet>& bindings() const { return bindings_; }

 private:
  std::vector<PuSet> bindings_;  ///< entry i is written by rank i; empty: could not be read
  Quota quota_;
};

/// The placement of a part of a team, whose hierarchy follows from the whole.
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
