// SPDX-License-Identifier: BSD-3-Clause
// Scotch, the graph partitioner, loaded at first use: a library that programs load must not bring
// another version of a library that they use.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/result.hpp"

namespace terrace {

struct WeightedGraph {
  std::vector<std::int32_t> loads;                               ///< of each vertex
  std::vector<std::map<std::int32_t, std::int32_t>> neighbours;  ///< vertex -> weight, both ways
};

/// The number of a part for each vertex, such that parts are about equally loaded and the edges
/// between them weigh little. Errors: unsupported, without Scotch; system.
Result<std::vector<std::int32_t>> partition(const WeightedGraph& graph, std::int32_t parts);

}  // namespace terrace
