// SPDX-License-Identifier: BSD-3-Clause
// The tree of groups that a machine and the bindings of its ranks induce: a pure function of the
// ranks' localities, without MPI or hwloc, so every rank computes the same tree.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/contract.hpp"
#include "base/locality.hpp"
#include "base/rank.hpp"

namespace terrace {

/// The level of ranks that share nothing we know of: several nodes without a known switch.
inline constexpr const char* kJobLevel = "job";

/// The level of ranks that share no more than their numbers being near.
inline constexpr const char* kRunLevel = "run";

/// Ranks that share one resource. Children partition the ranks and each is a strict subset;
/// a group without children shares nothing finer that would split it.
struct Group {
  std::string level;            ///< the deepest level that induces this partition
  std::uint64_t index = 0;      ///< which resource of that level
  std::vector<Rank> ranks;      ///< ascending
  std::vector<Group> children;  ///< ordered by leader

  Rank leader() const {
    TERRACE_ASSERT(!ranks.empty());
    return ranks.front();
  }
  bool operator==(const Group&) const = default;
};

struct Hierarchy {
  Group all;  ///< the group of every rank
  /// The node of each rank, numbered from 0 in order of their first ranks; empty where all ranks
  /// are on one, or nothing is known. Levels do not tell: a node with one package may be called
  /// that.
  std::vector<std::uint32_t> nodes = {};

  Rank rank_count() const { return static_cast<Rank>(all.ranks.size()); }
  bool operator==(const Hierarchy&) const = default;
};

/// Locality `i` belongs to rank `i`. Levels that induce the same partition collapse to one, named
/// after the deepest, except that a partition into single cores is called core rather than pu
/// (ParCo'18, section 3). A rank whose binding spans several children of a group cannot be placed
/// in any of them, so it forms a child group of its own, with the level and index of its parent.
/// Ranks that share a core or PU (oversubscription) share a group without children.
Hierarchy hierarchy_of(std::span<const Locality> localities);

/// Whether a child is a rank bound to its parent's resource itself: it shares nothing finer.
/// (Levels of a network may lie inside each other under one name, so name and index are not
/// enough.)
bool stops_in(const Group& parent, const Group& child);

/// All ranks in one group: what is known when nothing is known.
Hierarchy flat_hierarchy(Rank rank_count);

/// Runs of neighbours, at most 8 and as even as possible, whatever the machine: what sums are
/// ordered by that must not depend on it. Up to 8 ranks: flat.
Hierarchy hierarchy_of_runs(Rank rank_count);

/// The hierarchy of some of the ranks, renumbered: rank `i` of the result is
/// `members[i]`. Members are different ranks of the hierarchy. The same as `hierarchy_of` on the
/// members' localities.
Hierarchy restrict_to(const Hierarchy&, std::span<const Rank> members);

/// Returns how many groups lie inside each other below the group of all, at most.
std::uint32_t depth_of(const Hierarchy&);

/// Keeps, of all groups below that of all, only those of one depth, counted from 1: of packages
/// with L3s in them the L3s at 2. A branch that ends sooner keeps its last group. Depth 0: as it
/// is.
Hierarchy with_one_depth(const Hierarchy&, std::uint32_t depth);

/// Indented text for people, one group a line.
std::string to_text(const Hierarchy&);

}  // namespace terrace
