// SPDX-License-Identifier: BSD-3-Clause
// Functions that algorithms across nodes share.
#pragma once

#include <string>
#include <vector>

#include "collectives/collectives.hpp"

namespace terrace {

/// For each node its group, in order of the nodes' numbers; one group of all ranks where they are
/// on one node, or nothing is known.
std::vector<Group> node_groups(const Hierarchy& hierarchy);

/// Starts a plan that knows which rank is on which node.
PlanBuilder begin_across_nodes(const std::string& name, const Hierarchy& hierarchy,
                               std::uint32_t tiles = 1);

/// The rank of `to` gets the value of `from`: it reads it on its own node, and gets a message from
/// another.
void hand(PlanBuilder& plan, const Region& from, const Region& to);

}  // namespace terrace
