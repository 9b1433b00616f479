// SPDX-License-Identifier: BSD-3-Clause
// How the members of a communicator are split: pure functions of their localities, so every rank
// that has them computes the same. Calls of MPI are elsewhere.
//
// The rules are those of "Hardware topology management in MPI applications through hierarchical
// communicators" (Parallel Computing 76, 2018), sections 3.2.2 to 3.3.2. The collectives run on the
// same tree of groups as the paper's (hierarchy/hierarchy.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/locality.hpp"
#include "base/rank.hpp"
#include "hierarchy/hierarchy.hpp"

namespace terrace::communicators {

/// The level of a node.
inline constexpr const char* kNode = "node";

/// The resources that count: all, those between nodes, or those within a node.
enum class Scope : std::uint8_t { whole, network, node };

/// The request of a split.
struct SplitRequest {
  Scope scope = Scope::whole;
  std::string level;  ///< split directly into resources of this level; "": into the next level

  bool operator==(const SplitRequest&) const = default;
};

/// One of the groups that a split makes.
struct Child {
  std::string level;
  std::vector<Rank> ranks;  ///< ascending

  bool operator==(const Child&) const = default;
};

/// Under `network` ranks stop at their node; under `node` nodes are all that lies above.
std::vector<Locality> within(Scope scope, std::span<const Locality> localities);

/// The dimension of a torus, from 1, that "torus_dimension:2" names; nothing for other levels.
std::optional<std::size_t> torus_dimension(std::string_view level);

/// Splits into the parts of the next level, or of the request's; ordered by their lowest ranks.
/// They are disjoint, and each is a strict subset of all ranks. Ranks bound to more than one of
/// them are in none. Where a dimension of a torus is asked for, ranks of one torus that have the
/// same coordinate are together; `coordinates` has each rank's, from 1, or 0 if it has none.
std::vector<Child> split(std::span<const Locality> localities, const SplitRequest& request,
                         std::span<const std::uint64_t> coordinates = {});

/// The ranks of each resource of a level, ordered by their lowest ranks; all ranks, if they share
/// one (MPI 4.0, section 7.4.2: MPI_COMM_TYPE_HW_GUIDED). Ranks bound to more than one are in none.
std::vector<Child> instances_of(std::span<const Locality> localities, const std::string& level);

/// The children of a group that are finer than it: not those of ranks that stop at the group's own
/// resource.
std::vector<const Group*> finer_children(const Group& group);

/// One step on a rank's way from the whole hierarchy down to it.
struct SplitStep {
  const Group* group = nullptr;
  int index = 0;     ///< of the group among its siblings, ordered by leader
  int siblings = 0;  ///< itself included; those that stop at the parent's resource not
};

/// Empty if the rank is in no part of the first level. The steps point into the hierarchy.
std::vector<SplitStep> way_to(const Hierarchy& hierarchy, Rank rank);

/// Returns how many levels of the hierarchy lie between two ranks: 0 for a rank and itself, 1 in a
/// group that nothing divides, more the further up the smallest group lies that holds both. It is
/// an ultrametric: d(a, c) is at most the larger of d(a, b) and d(b, c).
int distance(const Hierarchy& hierarchy, Rank a, Rank b);

/// The deepest level that all of `ranks` share. At least one rank.
std::string shared_level(std::span<const Locality> localities, std::span<const Rank> ranks);

}  // namespace terrace::communicators
