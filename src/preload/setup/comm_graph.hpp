// SPDX-License-Identifier: BSD-3-Clause
// The graph of a communicator that has a topology, as neighbourhood collectives need it: which
// block of whose becomes which of this rank's. The MPI itself is asked, since of several blocks
// between two ranks, each takes its own for each other: in a ring of two, Intel MPI 2021.18
// exchanges them, Open MPI 5 in nonblocking calls, and MPICH 4.0 in those whose blocks have lengths
// of their own.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/neighbour_programs.hpp"
#include "preload/mpi/underlying_mpi.hpp"

namespace terrace::preload {

/// The kinds of calls whose edges are learned. (Blocks with types of their own are taken as those
/// with lengths of their own: MPICH 4.0 crashes in such calls.)
inline constexpr std::array<EdgeCall, 4> kEdgeCalls = {
    {{true, true}, {true, false}, {false, true}, {false, false}}};

/// The edges of a graph, in the order of takers, and the most blocks that one of its ranks gives.
struct EdgesOfGraph {
  std::vector<BlockEdge> edges;
  std::size_t most_given = 0;

  bool operator==(const EdgesOfGraph&) const = default;
};

/// A graph of a team's ranks. Endpoints keep what they have run, so it lasts as long as the team.
class TeamGraph {
 public:
  TeamGraph(Rank ranks, Rank own, EdgesOfGraph edges)
      : ranks_(ranks), own_(own), edges_(std::move(edges)) {}

  const EdgesOfGraph& edges() const { return edges_; }
  /// Whether a rank takes that block of this one.
  bool is_taken(Collective collective, std::size_t given) const;
  /// This rank's program of a neighbour_allgather or neighbour_alltoall.
  const std::shared_ptr<const NeighbourPrograms>& programs(Collective collective);

 private:
  Rank ranks_, own_;
  EdgesOfGraph edges_;
  std::array<std::shared_ptr<const NeighbourPrograms>, 2> programs_;  ///< null: not asked for yet
};

/// The graphs of a team's communicators, one after the other: each once.
class TeamGraphs {
 public:
  /// Null: there are too many, on all ranks alike.
  TeamGraph* find_or_add(Rank ranks, Rank own, EdgesOfGraph edges);

 private:
  std::vector<std::unique_ptr<TeamGraph>> graphs_;
};

/// The graph of a communicator that has a topology, as each kind of call has it.
class CommGraph {
 public:
  /// Plans are made of it.
  CommGraph(const Degrees& own, const std::array<TeamGraph*, kEdgeCalls.size()>& graphs)
      : own_(own), graphs_(graphs) {}
  /// No plans are made: `why` is half a sentence.
  CommGraph(const Degrees& own, std::string why) : own_(own), why_(std::move(why)) {}

  const Degrees& own() const { return own_; }  ///< this rank's
  /// Why its calls fall back to the MPI, on all ranks alike; "": they need not.
  const std::string& why() const { return why_; }
  TeamGraph& of(EdgeCall kind) const;

 private:
  Degrees own_;
  std::array<TeamGraph*, kEdgeCalls.size()> graphs_{};  ///< by kind; some are the same
  std::string why_;
};

/// Learns a communicator's graph from the MPI, when its ranks have a team; null: it has no
/// topology. Collective over the communicator. `most_blocks`: of a rank, the same on all of them.
std::unique_ptr<CommGraph> learn_graph(UnderlyingMpi& underlying, Handle communicator, Rank ranks,
                                       Rank own, std::size_t most_blocks, TeamGraphs& graphs);

}  // namespace terrace::preload
