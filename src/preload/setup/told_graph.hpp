// SPDX-License-Identifier: BSD-3-Clause
// The graph of a communicator as its ranks have told it each other: pure functions, so all ranks
// conclude the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/neighbour_programs.hpp"
#include "preload/mpi/underlying_mpi.hpp"

namespace terrace::preload {

/// All edges of a graph are written down on each rank.
inline constexpr std::size_t kMostEdges = std::size_t{1} << 16;

inline constexpr const char* kGraphRefused = "the MPI did not tell the communicator's graph";
inline constexpr const char* kTooManyEdges = "its graph has more edges than plans may have";

/// The edges of a graph, in the order of takers, and the most blocks that one of its ranks gives.
struct EdgesOfGraph {
  std::vector<BlockEdge> edges;
  std::size_t most_given = 0;

  bool operator==(const EdgesOfGraph&) const = default;
};

/// The name of a block. Sent as bytes.
struct BlockName {
  std::int32_t rank = -1;  ///< negative: no block has come
  std::int32_t number = -1;
};

/// Neighbours of a rank, by block; negative: MPI_PROC_NULL.
struct ToldNeighbours {
  bool are_known = false;  ///< otherwise the MPI refused to tell
  std::vector<std::int32_t> sources, targets;
};

/// Why no plans are made of a graph, "" if they may be. A graph whose ends disagree is a fault only
/// of programs that communicate along it: these wait forever, and Terrace must not do so before
/// them. `most_blocks`: of a rank.
std::string objection_to_graph(std::span<const ToldNeighbours> ranks, bool is_grid,
                               std::size_t most_blocks);

/// The edges, if no rank gives another one several blocks; nothing: MPIs differ in how they match
/// these. There is no objection to the graph.
std::optional<EdgesOfGraph> single_edges(std::span<const ToldNeighbours> ranks);

/// The edges of a graph whose ranks have got these blocks, in a call in which each rank gave blocks
/// that were their own names; nothing: they cannot be so.
std::optional<EdgesOfGraph> edges_of_blocks(std::span<const ToldNeighbours> ranks,
                                            std::span<const std::vector<BlockName>> came);

/// Blocks of a rank that are their own names.
std::vector<BlockName> named_blocks(Rank own, std::size_t blocks);

}  // namespace terrace::preload
