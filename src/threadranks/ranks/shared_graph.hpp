// SPDX-License-Identifier: BSD-3-Clause
// The graph of a communicator that has a topology: its members leave what each knows of it, and
// share the plans that follow.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "base/result.hpp"
#include "engine/neighbour_programs.hpp"
#include "threadranks/ranks/topology.hpp"

namespace terrace::threadranks {

class SharedGraph {
 public:
  /// Leaves the edges of one of so many members, before it arrives at any team of them.
  void leave(std::size_t place, std::size_t members, const RankNeighbours& neighbours);
  /// Returns the programs of a neighbour_allgather or neighbour_alltoall, when all have left their
  /// edges. The error says where these do not match.
  Result<std::shared_ptr<const NeighbourPrograms>> programs(Collective collective);

 private:
  std::mutex mutex_;
  std::vector<EdgesOfRank> edges_;
  std::size_t left_ = 0;
  std::array<std::shared_ptr<const NeighbourPrograms>, 2> programs_;  ///< null: not asked for yet
};

}  // namespace terrace::threadranks
