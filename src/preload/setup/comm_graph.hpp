// SPDX-License-Identifier: BSD-3-Clause
// The graph of a communicator with a topology: which block of which rank becomes which block of
// another. Where a rank gives another one several blocks, the MPI is asked by calls how it matches
// them, since MPIs differ: in a ring of two, Intel MPI 2021.18 exchanges them, Open MPI 5 does so
// in nonblocking calls, and MPICH 4.0 in calls whose blocks have lengths of their own.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/neighbour_programs.hpp"
#include "preload/mpi/underlying_mpi.hpp"
#include "preload/setup/told_graph.hpp"

namespace terrace::preload {

/// The kinds of calls whose edges are learned. (Alltoallw is taken as alltoallv: MPICH 4.0 crashes
/// in it.)
inline constexpr std::array<EdgeCall, 4> kEdgeCalls = {
    {{true, true}, {true, false}, {false, true}, {false, false}}};

inline constexpr Rank kNoRank = ~Rank{0};

/// A graph of a team's ranks. Endpoints keep what they have run, so it lasts as long as the team.
class TeamGraph {
 public:
  TeamGraph(Rank ranks, Rank own, EdgesOfGraph edges);

  const EdgesOfGraph& edges() const { return edges_; }
  /// The rank that takes each of this rank's blocks, of an alltoall; kNoRank: none does.
  std::span<const Rank> takers() const { return takers_; }
  /// The most blocks that a rank gives.
  std::size_t most_given() const { return edges_.most_given; }
  /// This rank's program of a neighbour_allgather or neighbour_alltoall.
  const std::shared_ptr<const NeighbourPrograms>& programs(Collective collective);

 private:
  Rank ranks_, own_;
  EdgesOfGraph edges_;
  std::vector<Rank> takers_;
  std::vector<bool> have_givers_;                                     ///< by this rank's block
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
  /// Whether it is known how calls of that kind match blocks; where there is no `why`.
  bool knows(EdgeCall kind) const { return graphs_[place_of(kind)] != nullptr; }
  TeamGraph& of(EdgeCall kind) const;
  /// Takes over what another one of the same communicator knows.
  void learn(const CommGraph& other) {
    for (std::size_t kind = 0; kind < graphs_.size(); ++kind)
      if (other.graphs_[kind] != nullptr) graphs_[kind] = other.graphs_[kind];
    why_ = other.why_;
  }

 private:
  static std::size_t place_of(EdgeCall kind) {
    return (kind.is_blocking ? 0u : 2u) + (kind.is_regular ? 0u : 1u);
  }

  Degrees own_;
  std::array<TeamGraph*, kEdgeCalls.size()> graphs_{};  ///< by kind, some alike; null: not known
  std::string why_;
};

/// Edges by kind of call; nothing: not known.
using EdgesByKind = std::array<std::optional<EdgesOfGraph>, kEdgeCalls.size()>;

/// A graph with these edges, of ranks of a team, or why there are no plans.
std::unique_ptr<CommGraph> new_graph(Rank ranks, Rank own, const Degrees& degrees,
                                     EdgesByKind edges, TeamGraphs& graphs);

/// Learns a communicator's graph from the MPI, when its ranks have a team; null: it has no
/// topology. Collective over the communicator. `most_blocks`: of a rank, the same on all of them.
/// `are_in_step`: the ranks' next calls come at the same place among nonblocking ones; otherwise
/// only what blocking calls tell is learned.
std::unique_ptr<CommGraph> learn_graph(UnderlyingMpi& underlying, Handle communicator, Rank ranks,
                                       Rank own, std::size_t most_blocks, bool are_in_step,
                                       TeamGraphs& graphs);

}  // namespace terrace::preload
