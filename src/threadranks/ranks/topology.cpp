// SPDX-License-Identifier: BSD-3-Clause
// Grids and graphs.
#include "threadranks/ranks/topology.hpp"

#include "threadranks/matching/match_queues.hpp"

namespace terrace::threadranks {

namespace {

std::vector<Neighbour> in_order(const int* ranks, std::size_t count) {
  std::vector<Neighbour> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back({ranks[i], 0});
  return all;
}

}  // namespace

int Cartesian::rank_at(const int* coordinates) const {
  int rank = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    int at = coordinates[i];
    if (at < 0 || at >= sizes[i]) {
      if (!periods[i]) return kProcNull;
      at = (at % sizes[i] + sizes[i]) % sizes[i];
    }
    rank = rank * sizes[i] + at;
  }
  return rank;
}

std::vector<int> Cartesian::coordinates_of(int rank) const {
  std::vector<int> coordinates(sizes.size());
  for (std::size_t i = sizes.size(); i-- > 0; rank /= sizes[i]) coordinates[i] = rank % sizes[i];
  return coordinates;
}

int Cartesian::shifted(int rank, std::size_t dimension, int distance) const {
  std::vector<int> place = coordinates_of(rank);
  place[dimension] += distance;
  return rank_at(place.data());
}

/// A message that moves up in a dimension arrives from below, even where both neighbours are the
/// same rank.
RankNeighbours Cartesian::neighbours_of(int rank) const {
  RankNeighbours neighbours;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const int before = shifted(rank, i, -1), behind = shifted(rank, i, 1);
    const int down = static_cast<int>(2 * i), up = down + 1;
    neighbours.targets.push_back({before, down});
    neighbours.targets.push_back({behind, up});
    neighbours.sources.push_back({before, up});
    neighbours.sources.push_back({behind, down});
  }
  return neighbours;
}

int GraphTopology::edge_count_of(int rank) const {
  const auto i = static_cast<std::size_t>(rank);
  return rank == 0 ? ends[0] : ends[i] - ends[i - 1];
}

const int* GraphTopology::edges_of(int rank) const {
  return edges.data() + (rank == 0 ? 0 : ends[static_cast<std::size_t>(rank) - 1]);
}

RankNeighbours GraphTopology::neighbours_of(int rank) const {
  const auto own = in_order(edges_of(rank), static_cast<std::size_t>(edge_count_of(rank)));
  return {own, own};
}

RankNeighbours DistributedGraph::neighbours_of(int) const {
  return {in_order(sources.data(), sources.size()), in_order(targets.data(), targets.size())};
}

}  // namespace terrace::threadranks
