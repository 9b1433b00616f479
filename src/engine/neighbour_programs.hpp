// SPDX-License-Identifier: BSD-3-Clause
// Programs of neighbourhood collectives: those of all ranks of one graph, which threads share.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "collectives/neighbours.hpp"
#include "plan/rank_program.hpp"

namespace terrace {

struct NeighbourPrograms {
  Collective collective;  ///< neighbour_allgather or neighbour_alltoall
  std::vector<RankProgram> ranks;
};

/// Writes and lowers the plan of a graph.
Result<std::shared_ptr<const NeighbourPrograms>> neighbour_programs(
    Collective collective, std::span<const EdgesOfRank> ranks);

}  // namespace terrace
