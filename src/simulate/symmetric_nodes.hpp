// SPDX-License-Identifier: BSD-3-Clause
// Simulates jobs of more nodes than a plan could be written for, if all nodes behave alike.
#pragma once

#include "plan/plan.hpp"
#include "simulate/outcome.hpp"

namespace terrace::simulate {

/// The ranks that exchange across nodes that behave alike, in an allreduce.
enum class SymmetricExchange {
  leaders,  ///< the first rank of each node, the node's sum
  lanes,    ///< every rank, a tile of the node's sum: with the ranks of its place
  flat      ///< every rank, all of it: as if nodes were not known
};

/// An allreduce of `nodes` nodes with `ranks_per_node` ranks each, by recursive doubling across
/// nodes. `nodes`, and `ranks_per_node` of a flat one, must be powers of two.
Plan allreduce_of_symmetric_nodes(SymmetricExchange by, Rank ranks_per_node, std::uint32_t nodes);

/// Makes the exchange for two of 2^rounds nodes: in each round they exchange with each other. As
/// all nodes are at the same place at the same time, it does not matter which partner a message
/// comes from: two nodes that exchange as often take as long as all. The plan is for its times; its
/// result is not the sum.
Plan exchange_of_symmetric_nodes(SymmetricExchange by, Rank ranks_per_node, std::uint32_t rounds);

/// Scales what was counted on two nodes to `nodes` nodes.
SimulationOutcome standing_for(std::uint32_t nodes, SimulationOutcome two);

}  // namespace terrace::simulate
