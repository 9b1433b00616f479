// SPDX-License-Identifier: BSD-3-Clause
// Topologies: which ranks are neighbours in a communicator.
#pragma once

#include <memory>
#include <vector>

namespace terrace::threadranks {

/// One end of a message to a neighbour. Messages with the same tag between the same two ranks are
/// in the order of both lists.
struct Neighbour {
  int rank = 0;  ///< kProcNull: no neighbour, but a block in the buffers
  int tag = 0;
};

struct RankNeighbours {
  std::vector<Neighbour> sources, targets;
};

class RankTopology {
 public:
  virtual ~RankTopology() = default;
  virtual std::unique_ptr<RankTopology> copy() const = 0;
  virtual RankNeighbours neighbours_of(int rank) const = 0;
};

class Cartesian final : public RankTopology {
 public:
  Cartesian() = default;
  Cartesian(std::vector<int> its_sizes, std::vector<int> its_periods)
      : sizes(std::move(its_sizes)), periods(std::move(its_periods)) {}

  std::unique_ptr<RankTopology> copy() const override { return std::make_unique<Cartesian>(*this); }
  /// In each dimension the lower neighbour, then the upper one.
  RankNeighbours neighbours_of(int rank) const override;
  int rank_at(const int* coordinates) const;
  std::vector<int> coordinates_of(int rank) const;
  int shifted(int rank, std::size_t dimension, int distance) const;

  std::vector<int> sizes;
  std::vector<int> periods;
};

/// Each rank knows all of it.
class GraphTopology final : public RankTopology {
 public:
  std::unique_ptr<RankTopology> copy() const override {
    return std::make_unique<GraphTopology>(*this);
  }
  RankNeighbours neighbours_of(int rank) const override;

  std::vector<int> ends;   ///< of each rank's edges, as in MPI_Graph_create
  std::vector<int> edges;  ///< of all ranks, one after the other

  int edge_count_of(int rank) const;
  const int* edges_of(int rank) const;
};

/// Each rank knows its own edges.
class DistributedGraph final : public RankTopology {
 public:
  std::unique_ptr<RankTopology> copy() const override {
    return std::make_unique<DistributedGraph>(*this);
  }
  RankNeighbours neighbours_of(int rank) const override;

  std::vector<int> sources, targets;
  std::vector<int> source_weights, target_weights;
  bool is_weighted = false;
};

}  // namespace terrace::threadranks
