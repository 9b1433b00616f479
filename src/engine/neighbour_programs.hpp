// SPDX-License-Identifier: BSD-3-Clause
// Programs of neighbourhood collectives: those of all ranks of a graph, which threads share, or
// that of one process.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "base/result.hpp"
#include "collectives/neighbours.hpp"
#include "plan/rank_program.hpp"

namespace terrace {

class NeighbourPrograms {
 public:
  /// `programs`: those of ranks from `first` on. `most_given`: the most blocks that a rank gives;
  /// 0: ranks are threads.
  NeighbourPrograms(Collective collective, Rank first, std::vector<RankProgram> programs,
                    std::size_t most_given)
      : collective_(collective),
        first_(first),
        programs_(std::move(programs)),
        most_given_(most_given) {}

  Collective collective() const { return collective_; }  ///< neighbour_allgather or _alltoall
  const RankProgram& of(Rank rank) const {
    TERRACE_REQUIRE(rank - first_ < programs_.size(), rank, first_, programs_.size());
    return programs_[rank - first_];
  }
  std::size_t most_given() const { return most_given_; }

 private:
  Collective collective_;
  Rank first_;
  std::vector<RankProgram> programs_;
  std::size_t most_given_;
};

/// Writes and lowers the plan of a graph.
Result<std::shared_ptr<const NeighbourPrograms>> neighbour_programs(
    Collective collective, Rank ranks, std::span<const BlockEdge> edges);
/// Writes and lowers it for one of its ranks, which are processes and give up to so many blocks.
Result<std::shared_ptr<const NeighbourPrograms>> neighbour_program(Collective collective,
                                                                   Rank ranks,
                                                                   std::span<const BlockEdge> edges,
                                                                   Rank rank,
                                                                   std::size_t most_given);

/// Returns how much of a team's scratch such a call uses, of ranks that give up to so many blocks.
std::size_t scratch_along_edges(std::size_t scratch_bytes, std::size_t most_given);

}  // namespace terrace
