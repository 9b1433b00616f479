// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood collectives of members who are all in one process: a rank's blocks, and the call of
// its team that moves them.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "execute/edge_blocks.hpp"
#include "threadranks/ranks/communicator.hpp"
#include "threadranks/ranks/shared_graph.hpp"

namespace terrace::threadranks {

/// The blocks of a call, in the order of the topology's lists. Keeps their types.
class NeighbourBlocks {
 public:
  NeighbourBlocks() = default;
  ~NeighbourBlocks() { clear(); }
  NeighbourBlocks(const NeighbourBlocks&) = delete;
  NeighbourBlocks& operator=(const NeighbourBlocks&) = delete;

  void clear();
  /// Adds a block; where there is no neighbour, an empty one.
  void give(const Neighbour& to, const Layout& from) { add(given_, to, from); }
  void take(const Neighbour& from, const Layout& to) { add(taken_, from, to); }
  bool have_given() const { return !given_.layouts.empty(); }
  /// Returns the blocks for a call. They stay where they are until others are added.
  EdgeBlocks& edges();
  bool are_truncated() const { return edges_.is_truncated; }
  /// Whether they have types of the program's, which it may free.
  bool have_made_types() const { return have_made_types_; }

 private:
  struct Side {
    std::vector<Layout> layouts;
    std::vector<LaidOutBlock> blocks;
  };
  void add(Side& side, const Neighbour& neighbour, const Layout& layout);
  static void clear(Side& side);
  static void settle(Side& side);

  Side given_, taken_;
  EdgeBlocks edges_;
  bool have_made_types_ = false;
};

/// A nonblocking or persistent call.
class NeighbourCall final : public Operation {
 public:
  /// `graph` is that of the communicator that has the topology.
  NeighbourCall(std::shared_ptr<SharedGraph> graph, Collective collective)
      : graph_(std::move(graph)), collective_(collective) {}

  bool advance(Communicator& on) override;
  void restart() override {}
  bool start_again(Communicator& on, StartedCollective& started) override;

  NeighbourBlocks blocks;

 private:
  Progress start(Communicator& on, TeamEndpoint& endpoint);

  std::shared_ptr<SharedGraph> graph_;
  Collective collective_;
  std::shared_ptr<const NeighbourPrograms> programs_;  ///< null before the first start
  bool is_running_ = false;
};

/// A member's part of its communicator's neighbourhood collectives.
class MemberNeighbours {
 public:
  /// Leaves the edges of that member with the others'.
  MemberNeighbours(Communicator& communicator, RankNeighbours neighbours);

  const RankNeighbours& all() const { return all_; }
  const std::shared_ptr<SharedGraph>& graph() const { return graph_; }
  /// Returns the programs, once the communicator's team is founded, or that of a lane. Ends the job
  /// if there are none, as the members' edges do not match.
  const std::shared_ptr<const NeighbourPrograms>& programs(Collective collective);

  NeighbourBlocks blocks;                           ///< of the call at hand, a blocking one
  std::array<NeighbourBlocks, kLanes> lane_blocks;  ///< of those that lanes run as prepared

 private:
  Communicator& communicator_;
  RankNeighbours all_;
  std::shared_ptr<SharedGraph> graph_;
  std::array<std::shared_ptr<const NeighbourPrograms>, 2> programs_;
};

}  // namespace terrace::threadranks
