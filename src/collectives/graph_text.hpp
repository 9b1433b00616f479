// SPDX-License-Identifier: BSD-3-Clause
// Graphs of neighbourhood collectives in words: grids as MPI_Cart_create makes them, `ring:8`,
// `grid:4x3` and `torus:4x4`, and lists of edges as for MPI_Dist_graph_create:
//
//     0: 1 2     # rank 0 gives its first block to rank 1, its second one to rank 2
//     1: 2 2
//     2:
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "collectives/neighbours.hpp"

namespace terrace {

/// The longest text that a list of edges may be.
inline constexpr std::size_t kMostGraphBytes = std::size_t{1} << 20;

/// All forms, as help and errors name them.
inline constexpr const char* kGraphForms =
    "ring:8, grid:4x3, torus:4x4 (periodic), or a file with a line for each rank, as in `0: 1 2`";

/// Returns the edges of all ranks of a grid. The last dimension varies fastest; the neighbours of a
/// rank are, dimension by dimension, the one below and the one above. At the sides of a grid that
/// is not periodic they are missing, but not their blocks.
std::vector<EdgesOfRank> cartesian_graph(std::span<const Rank> extents, bool is_periodic);

/// Whether a text begins as grids do, as in "ring:".
bool names_grid(std::string_view text);
/// Reads "ring:8", "grid:4x3" or "torus:4x4". Errors: argument, with a sentence that says what was
/// expected.
Result<std::vector<EdgesOfRank>> grid_from_text(std::string_view text, Rank most_ranks);

/// Reads a list of edges: a line for each rank, in order, with those to whom it gives its blocks,
/// in order. Its sources are in the order of their ranks, and of their blocks. Errors: argument,
/// with the number of the line.
Result<std::vector<EdgesOfRank>> graph_from_lines(std::string_view text, Rank most_ranks);

}  // namespace terrace
