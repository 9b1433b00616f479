// SPDX-License-Identifier: BSD-3-Clause
// Domains: the ranks that share the hierarchy's outermost caches or memory, group by group.
#pragma once

#include <vector>

#include "hierarchy/hierarchy.hpp"

namespace terrace {

/// The parts of the hierarchy's top level, or all ranks as one where it has none.
std::vector<std::vector<Rank>> domains_of(const Hierarchy& hierarchy);

/// The ranks of a domain, beginning after `rank`, so that not all turn to the same peer at once.
/// `rank` itself is left out.
std::vector<Rank> others_from(const std::vector<Rank>& ranks, Rank rank);

}  // namespace terrace
