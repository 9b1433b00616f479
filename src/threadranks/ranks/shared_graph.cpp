// SPDX-License-Identifier: BSD-3-Clause
// Makes the programs of a communicator's graph.
#include "threadranks/ranks/shared_graph.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "threadranks/matching/match_queues.hpp"

namespace terrace::threadranks {

namespace {

std::vector<EdgeEnd> edge_ends(const std::vector<Neighbour>& neighbours) {
  std::vector<EdgeEnd> ends;
  for (const Neighbour& one : neighbours) {
    EdgeEnd& end = ends.emplace_back();
    if (one.rank == kProcNull) continue;
    end.peer = static_cast<Rank>(one.rank);
    end.label = static_cast<std::uint32_t>(one.tag);
  }
  return ends;
}

}  // namespace

void SharedGraph::leave(std::size_t place, std::size_t members, const RankNeighbours& neighbours) {
  const std::lock_guard lock(mutex_);
  edges_.resize(members);
  TERRACE_REQUIRE(place < members && left_ < members, place, left_, members);
  edges_[place] = {edge_ends(neighbours.sources), edge_ends(neighbours.targets)};
  ++left_;
}

Result<std::shared_ptr<const NeighbourPrograms>> SharedGraph::programs(Collective collective) {
  const std::lock_guard lock(mutex_);
  TERRACE_REQUIRE(left_ > 0 && left_ == edges_.size(), left_, edges_.size());
  auto& programs = programs_[collective == Collective::neighbour_allgather ? 0 : 1];
  if (programs != nullptr) return programs;
  const auto edges = edges_of(edges_);
  if (!edges) return edges.error();
  auto made = neighbour_programs(collective, static_cast<Rank>(edges_.size()), edges.value());
  if (made) programs = made.value();
  return made;
}

}  // namespace terrace::threadranks
