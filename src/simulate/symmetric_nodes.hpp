// SPDX-License-Identifier: BSD-3-Clause
// Simulates jobs of more nodes than a plan could be written for, if all nodes behave alike.
#pragma once

#include "plan/plan.hpp"
#include "simulate/outcome.hpp"

namespace terrace::simulate {

/// An allreduce of 2^rounds nodes of `ranks_per_node` ranks: each node combines its inputs at its
/// first rank, in rank order; the first ranks exchange their sums in `rounds` rounds, each time
/// with another node; the others read the total. The plan is written for two of the nodes. As all
/// nodes are at the same place at the same time, it does not matter which partner a message comes
/// from: two nodes that exchange as often take as long as all. The plan is for its times; its
/// result is not the sum.
Plan exchange_of_symmetric_nodes(Rank ranks_per_node, std::uint32_t rounds);

/// Scales what was counted on two nodes to `nodes` nodes.
SimulationOutcome standing_for(std::uint32_t nodes, SimulationOutcome two);

}  // namespace terrace::simulate
