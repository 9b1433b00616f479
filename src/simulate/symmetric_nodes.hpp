// SPDX-License-Identifier: BSD-3-Clause
// Simulates jobs of more nodes than a plan could be written for, if all nodes behave alike.
#pragma once

#include "plan/plan.hpp"
#include "simulate/outcome.hpp"

namespace terrace::simulate {

/// An allreduce of 2^rounds nodes of so many ranks: each node combines its inputs at its first
/// rank, in rank order; first ranks exchange what they have in so many rounds, each time with
/// another node; and the others read the total. Written for two of the nodes. As all nodes are at
/// the same place at the same time, it does not matter to them whether a message comes from this
/// partner or that one: two nodes that exchange so often take as long as all. The plan is for its
/// times; what it computes is not the sum.
Plan exchange_of_symmetric_nodes(Rank ranks_per_node, std::uint32_t rounds);

/// What was counted on two nodes, for so many.
SimulationOutcome standing_for(std::uint32_t nodes, SimulationOutcome two);

}  // namespace terrace::simulate
