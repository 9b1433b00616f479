// SPDX-License-Identifier: BSD-3-Clause
// Learns graphs: ranks tell each other their neighbours, and then send each other the numbers of
// blocks along the edges, as the MPI takes them to be.
#include "preload/setup/comm_graph.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/contract.hpp"

namespace terrace::preload {

namespace {

constexpr const char* kSetup = "the set-up of neighbourhood collectives";
constexpr const char* kRefused = "the MPI did not tell the communicator's graph";
constexpr const char* kOneSided = "not both ends of each edge of its graph know of it";
constexpr const char* kTooMany = "its graph has more edges than plans may have";
constexpr const char* kProcNullNamed = "its graph names MPI_PROC_NULL, with which some MPIs crash";
constexpr const char* kTooManyGraphs = "too many communicators of its ranks had other graphs";

/// All edges of a graph are written down on each rank, and this rank's plans for each graph.
constexpr std::size_t kMostEdges = std::size_t{1} << 16, kMostGraphs = 256;

/// The numbers that each rank tells of itself.
struct ToldDegrees {
  std::int32_t in = -1, out = -1;  ///< negative: the MPI refused to tell
};

/// The name of a block. Sent as bytes.
struct BlockName {
  std::int32_t rank = -1;  ///< negative: no block has come
  std::int32_t number = -1;
};

/// Rows of all ranks, one after the other, each as long as the longest.
template <class Item>
class Rows {
 public:
  Rows(Rank ranks, std::size_t length) : length_(length), items_(ranks * length) {}
  std::vector<Item>& items() { return items_; }
  const Item* row(Rank rank) const { return items_.data() + rank * length_; }

 private:
  std::size_t length_;
  std::vector<Item> items_;
};

/// One learning, step by step. Each step is one collective of the MPI.
class Learning {
 public:
  Learning(UnderlyingMpi& underlying, Handle communicator, Rank ranks, Rank own,
           const CommTopology& topology)
      : underlying_(underlying),
        communicator_(communicator),
        ranks_(ranks),
        own_(own),
        topology_(topology) {}

  /// Returns why there are no plans, "" if there may be.
  std::string run(std::size_t most_blocks) {
    std::string why = tell_degrees(most_blocks);
    // Both ends of a grid's edges know of them.
    if (why.empty() && topology_.kind != CommTopology::Kind::grid) why = compare_ends();
    for (std::size_t kind = 0; kind < kEdgeCalls.size() && why.empty(); ++kind)
      why = find_edges(kEdgeCalls[kind], found[kind]);
    return why;
  }

  std::array<EdgesOfGraph, kEdgeCalls.size()> found;  ///< by kind

 private:
  std::string tell_degrees(std::size_t most_blocks) {
    ToldDegrees own;
    if (topology_.is_known)
      own = {static_cast<std::int32_t>(topology_.degrees.in),
             static_cast<std::int32_t>(topology_.degrees.out)};
    degrees_.resize(ranks_);
    if (!tell(&own, degrees_.data(), sizeof own)) return kRefused;
    std::size_t edges = 0;
    for (const ToldDegrees& one : degrees_) {
      if (one.in < 0 || one.out < 0) return kRefused;
      edges += static_cast<std::size_t>(one.in);
      most_in_ = std::max(most_in_, static_cast<std::size_t>(one.in));
      most_out_ = std::max(most_out_, static_cast<std::size_t>(one.out));
    }
    return std::max(most_in_, most_out_) > most_blocks || edges > kMostEdges ? kTooMany : "";
  }

  /// A graph whose ends disagree is a fault only of programs that communicate along it: these wait
  /// forever, and Terrace must not do so before them.
  std::string compare_ends() {
    Rows<std::int32_t> sources(ranks_, most_in_), targets(ranks_, most_out_);
    if (!tell_row(topology_.sources, sources) || !tell_row(topology_.targets, targets))
      return kRefused;
    std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> more_known_to_giver;
    for (Rank rank = 0; rank < ranks_; ++rank) {
      const auto own = static_cast<std::int32_t>(rank);
      for (std::int32_t i = 0; i < degrees_[rank].out; ++i)
        ++more_known_to_giver[{own, targets.row(rank)[i]}];
      for (std::int32_t i = 0; i < degrees_[rank].in; ++i)
        --more_known_to_giver[{sources.row(rank)[i], own}];
    }
    for (const auto& [edge, count] : more_known_to_giver)
      if (edge.first < 0 || edge.second < 0) return kProcNullNamed;
    const bool agree = std::all_of(more_known_to_giver.begin(), more_known_to_giver.end(),
                                   [](const auto& edge) { return edge.second == 0; });
    return agree ? "" : kOneSided;
  }

  std::string find_edges(EdgeCall kind, EdgesOfGraph& edges) {
    // Some MPIs refuse null buffers even of no blocks.
    std::vector<BlockName> given(std::max<std::size_t>(most_out_, 1)),
        taken(std::max<std::size_t>(most_in_, 1));
    for (std::size_t i = 0; i < given.size(); ++i)
      given[i] = {static_cast<std::int32_t>(own_), static_cast<std::int32_t>(i)};
    if (!underlying_.send_along_edges(communicator_, kind, topology_.degrees, given.data(),
                                      taken.data(), sizeof(BlockName), kSetup))
      return kRefused;
    Rows<BlockName> all(ranks_, most_in_);
    if (!tell_row(taken, all)) return kRefused;
    for (Rank taker = 0; taker < ranks_; ++taker)
      for (std::int32_t i = 0; i < degrees_[taker].in; ++i) {
        const BlockName& block = all.row(taker)[i];
        if (block.rank < 0) continue;
        const auto giver = static_cast<Rank>(block.rank);
        if (giver >= ranks_ || block.number < 0 || block.number >= degrees_[giver].out)
          return kRefused;
        edges.edges.push_back({giver, static_cast<std::uint16_t>(block.number), taker,
                               static_cast<std::uint16_t>(i)});
      }
    edges.most_given = most_out_;
    return "";
  }

  bool tell(const void* own, void* all, std::size_t bytes) {
    return bytes == 0 || underlying_.allgather(communicator_, own, all, bytes, kSetup);
  }
  template <class Item>
  bool tell_row(std::vector<Item> own, Rows<Item>& all) {
    const std::size_t length = all.items().size() / ranks_;
    own.resize(length);
    return tell(own.data(), all.items().data(), length * sizeof(Item));
  }

  UnderlyingMpi& underlying_;
  Handle communicator_;
  Rank ranks_, own_;
  const CommTopology& topology_;
  std::vector<ToldDegrees> degrees_;  ///< by rank
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
  TERRACE_ASSERT(why_.empty());
  return *graphs_[(kind.is_blocking ? 0u : 2u) + (kind.is_regular ? 0u : 1u)];
}

std::unique_ptr<CommGraph> learn_graph(UnderlyingMpi& underlying, Handle communicator, Rank ranks,
                                       Rank own, std::size_t most_blocks, TeamGraphs& graphs) {
  const std::optional<CommTopology> topology = underlying.topology_of(communicator);
  if (!topology) return nullptr;
  const Degrees& degrees = topology->degrees;
  Learning learning(underlying, communicator, ranks, own, *topology);
  std::string why = learning.run(most_blocks);
  std::array<TeamGraph*, kEdgeCalls.size()> learned{};
  for (std::size_t kind = 0; kind < kEdgeCalls.size() && why.empty(); ++kind) {
    learned[kind] = graphs.find_or_add(ranks, own, std::move(learning.found[kind]));
    if (learned[kind] == nullptr) why = kTooManyGraphs;
  }
  return why.empty() ? std::make_unique<CommGraph>(degrees, learned)
                     : std::make_unique<CommGraph>(degrees, std::move(why));
}

}  // namespace terrace::preload
