// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood collectives: each rank of a graph gives a block along each edge that leaves it, and
// gets one along each that arrives. Every graph has plans of its own, so they stand in no table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "collectives/collectives.hpp"

namespace terrace {

/// One end of an edge, as its rank knows it. Edges with the same label from one rank to another are
/// in the order of both ranks' lists.
struct EdgeEnd {
  std::optional<Rank> peer;  ///< the rank at the other end; nothing: a block without an edge
  std::uint32_t label = 0;

  bool operator==(const EdgeEnd&) const = default;
};

/// The edges of one rank, in the order of its blocks.
struct EdgesOfRank {
  std::vector<EdgeEnd> sources;  ///< one for each block of its output
  std::vector<EdgeEnd> targets;  ///< one for each block of its input
};

/// An edge: block `given` of the giver's input becomes block `taken` of the taker's output.
struct BlockEdge {
  Rank giver = 0;
  std::uint16_t given = 0;
  Rank taker = 0;
  std::uint16_t taken = 0;

  bool operator==(const BlockEdge&) const = default;
};

/// Finds the edges of a graph, those of each taker in the order of its blocks. The error names an
/// edge that only one of its ranks knows of, or a rank with too many.
Result<std::vector<BlockEdge>> edges_of(std::span<const EdgesOfRank> ranks);

/// Writes the plan of a neighbour_allgather, in which all edges of a rank carry its block 0, or of
/// a neighbour_alltoall.
Plan neighbours_pull(Collective collective, Rank ranks, std::span<const BlockEdge> edges);

/// Lowers it as calls run it: to exposed buffers, with one slot of scratch, as all blocks go in one
/// strip.
Result<Plan> lower_neighbours(const Plan& plan);

/// A plan of any graph, by its name.
struct GraphAlgorithm {
  std::string_view name;  ///< "neighbour_alltoall.pull"
  Collective collective;
  std::string_view description, source;
};

std::span<const GraphAlgorithm> graph_algorithms();
/// Finds one of them; null if there is none.
const GraphAlgorithm* find_graph_algorithm(std::string_view name);

/// Returns what such a collective must leave in each output. It is never called in place, and ranks
/// without a path between them do not hear of each other.
Postcondition postcondition(Collective collective, Rank ranks, std::span<const BlockEdge> edges);

}  // namespace terrace
