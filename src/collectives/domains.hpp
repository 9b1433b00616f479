// SPDX-License-Identifier: BSD-3-Clause
// Domains: the ranks that share the hierarchy's outermost caches or memory, group by group.
#pragma once

#include <vector>

#include "hierarchy/hierarchy.hpp"
#include "plan/plan.hpp"

namespace terrace {

/// The parts of the hierarchy's top level, or all ranks as one where it has none.
std::vector<std::vector<Rank>> domains_of(const Hierarchy& hierarchy);

/// The ranks of a domain, beginning after `rank`, so that not all turn to the same peer at once.
/// `rank` itself is left out.
std::vector<Rank> others_from(const std::vector<Rank>& ranks, Rank rank);

/// Each rank copies its own block to its output, while others' blocks are on their way. In place it
/// is there already.
void keep_own_blocks(PlanBuilder& plan, const std::vector<Rank>& ranks);

}  // namespace terrace
