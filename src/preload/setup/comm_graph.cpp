// SPDX-License-Identifier: BSD-3-Clause
// Learns graphs: ranks tell each other their neighbours, and, where that does not say which block
// is which, send each other the numbers of blocks along the edges.
#include "preload/setup/comm_graph.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/contract.hpp"

namespace terrace::preload {

namespace {

constexpr const char* kSetup = "the set-up of neighbourhood collectives";
constexpr const char* kTooManyGraphs = "too many communicators of its ranks had other graphs";

/// This rank's plans are kept for each graph.
constexpr std::size_t kMostGraphs = 256;

/// The numbers that each rank tells of itself.
struct ToldDegrees {
  std::int32_t in = -1, out = -1;  ///< negative: the MPI refused to tell
};

/// One learning, step by step. Each step is one collective of the MPI.
class Learning {
 public:
  Learning(UnderlyingMpi& underlying, Handle communicator, Rank ranks, Rank own,
           const CommTopology& topology, bool are_in_step)
      : underlying_(underlying),
        communicator_(communicator),
        ranks_(ranks),
        own_(own),
        topology_(topology),
        are_in_step_(are_in_step),
        told_(ranks) {}

  /// Returns why there are no plans, "" if there may be.
  std::string run(std::size_t most_blocks) {
    std::string why = tell_neighbours(most_blocks);
    if (why.empty())
      why = objection_to_graph(told_, topology_.kind == CommTopology::Kind::grid, most_blocks);
    if (!why.empty()) return why;
    const std::optional<EdgesOfGraph> single = single_edges(told_);
    if (single) found.fill(single);
    for (std::size_t kind = 0; kind < kEdgeCalls.size() && !single && why.empty(); ++kind)
      if (are_in_step_ || kEdgeCalls[kind].is_blocking)
        why = find_edges(kEdgeCalls[kind], found[kind]);
    return why;
  }

  EdgesByKind found;

 private:
  std::string tell_neighbours(std::size_t most_blocks) {
    ToldDegrees own;
    if (topology_.is_known)
      own = {static_cast<std::int32_t>(topology_.degrees.in),
             static_cast<std::int32_t>(topology_.degrees.out)};
    std::vector<ToldDegrees> degrees(ranks_);
    if (!tell(&own, degrees.data(), sizeof own)) return kGraphRefused;
    for (const ToldDegrees& one : degrees) {
      if (one.in < 0 || one.out < 0) return kGraphRefused;
      most_in_ = std::max(most_in_, static_cast<std::size_t>(one.in));
      most_out_ = std::max(most_out_, static_cast<std::size_t>(one.out));
    }
    if (std::max(most_in_, most_out_) > most_blocks) return kTooManyEdges;
    const auto sources = tell_rows(topology_.sources, most_in_);
    const auto targets = tell_rows(topology_.targets, most_out_);
    if (!sources || !targets) return kGraphRefused;
    for (Rank rank = 0; rank < ranks_; ++rank) {
      told_[rank] = {true, (*sources)[rank], (*targets)[rank]};
      told_[rank].sources.resize(static_cast<std::size_t>(degrees[rank].in));
      told_[rank].targets.resize(static_cast<std::size_t>(degrees[rank].out));
    }
    return "";
  }

  std::string find_edges(EdgeCall kind, std::optional<EdgesOfGraph>& edges) {
    const std::vector<BlockName> given = named_blocks(own_, most_out_);
    std::vector<BlockName> taken(std::max<std::size_t>(most_in_, 1));
    if (!underlying_.send_along_edges(communicator_, kind, topology_.degrees, given.data(),
                                      taken.data(), sizeof(BlockName), kSetup))
      return kGraphRefused;
    const auto came = tell_rows(taken, most_in_);
    if (came) edges = edges_of_blocks(told_, *came);
    return edges ? "" : kGraphRefused;
  }

  bool tell(const void* own, void* all, std::size_t bytes) {
    if (bytes == 0) return true;
    return are_in_step_ ? underlying_.allgather(communicator_, own, all, bytes, kSetup)
                        : underlying_.blocking_allgather(communicator_, own, all, bytes, kSetup);
  }
  /// Rows of all ranks, each as long as the longest; nothing: the MPI refused.
  template <class Item>
  std::optional<std::vector<std::vector<Item>>> tell_rows(std::vector<Item> own,
                                                          std::size_t length) {
    own.resize(length);
    std::vector<Item> all(ranks_ * length);
    if (!tell(own.data(), all.data(), length * sizeof(Item))) return std::nullopt;
    std::vector<std::vector<Item>> rows;
    for (Rank rank = 0; rank < ranks_; ++rank)
      rows.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(rank * length),
                        all.begin() + static_cast<std::ptrdiff_t>((rank + 1) * length));
    return rows;
  }

  UnderlyingMpi& underlying_;
  Handle communicator_;
  Rank ranks_, own_;
  const CommTopology& topology_;
  bool are_in_step_;
  std::vector<ToldNeighbours> told_;  ///< by rank
  std::size_t most_in_ = 0, most_out_ = 0;
};

}  // namespace

TeamGraph::TeamGraph(Rank ranks, Rank own, EdgesOfGraph edges)
    : ranks_(ranks), own_(own), edges_(std::move(edges)), takers_(edges_.most_given, kNoRank) {
  for (const BlockEdge& edge : edges_.edges)
    if (edge.giver == own) takers_[edge.given] = edge.taker;
}

const std::shared_ptr<const NeighbourPrograms>& TeamGraph::programs(Collective collective) {
  const bool is_allgather = collective == Collective::neighbour_allgather;
  auto& programs = programs_[is_allgather ? 0 : 1];
  // Such a plan needs nothing that may be missing: one strip, one slot, one line of each rank.
  if (programs == nullptr)
    programs = neighbour_program(collective, ranks_, edges_.edges, own_,
                                 is_allgather ? 1 : edges_.most_given)
                   .value();
  return programs;
}

TeamGraph* TeamGraphs::find_or_add(Rank ranks, Rank own, EdgesOfGraph edges) {
  for (const auto& graph : graphs_)
    if (graph->edges() == edges) return graph.get();
  if (graphs_.size() == kMostGraphs) return nullptr;
  graphs_.push_back(std::make_unique<TeamGraph>(ranks, own, std::move(edges)));
  return graphs_.back().get();
}

TeamGraph& CommGraph::of(EdgeCall kind) const {
  TERRACE_ASSERT(why_.empty() && knows(kind));
  return *graphs_[place_of(kind)];
}

std::unique_ptr<CommGraph> new_graph(Rank ranks, Rank own, const Degrees& degrees,
                                     EdgesByKind edges, TeamGraphs& graphs) {
  std::array<TeamGraph*, kEdgeCalls.size()> learned{};
  for (std::size_t kind = 0; kind < kEdgeCalls.size(); ++kind) {
    if (!edges[kind]) continue;
    learned[kind] = graphs.find_or_add(ranks, own, *std::move(edges[kind]));
    if (learned[kind] == nullptr) return std::make_unique<CommGraph>(degrees, kTooManyGraphs);
  }
  return std::make_unique<CommGraph>(degrees, learned);
}

std::unique_ptr<CommGraph> learn_graph(UnderlyingMpi& underlying, Handle communicator, Rank ranks,
                                       Rank own, std::size_t most_blocks, bool are_in_step,
                                       TeamGraphs& graphs) {
  const std::optional<CommTopology> topology = underlying.topology_of(communicator);
  if (!topology) return nullptr;
  Learning learning(underlying, communicator, ranks, own, *topology, are_in_step);
  std::string why = learning.run(most_blocks);
  if (!why.empty()) return std::make_unique<CommGraph>(topology->degrees, std::move(why));
  return new_graph(ranks, own, topology->degrees, std::move(learning.found), graphs);
}

}  // namespace terrace::preload
