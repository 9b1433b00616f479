// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood collectives: a block along each edge of a graph. Of a ring of three, in which each
// rank gives one block to the rank below and one to the rank above:
//
//     pull   0 [a b]    1 [c d]    2 [e f]      each rank shows its blocks, in the order of its
//              |  \______ | _________ | _       targets: a goes below, b above
//              |    ______|/          |  \      then it takes one block of each source, in the
//              order |   /                  |         of its sources: rank 1 gets b and e
//            0 [f c]    1 [b e]    2 [d a]
//
// A rank's edges to itself are copied while others' blocks are on their way. A rank waits for its
// sources alone. Bounced, a rank that has shown its blocks owes nothing more; direct, it waits at
// the end until its targets have taken them.
// Traffic: each block crosses once. Nothing would be saved by leaders but in an allgather along
// many edges between the same domains.
// Order: nothing is combined.
#include "collectives/neighbours.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "plan/lower.hpp"

namespace terrace {

namespace {

constexpr GraphAlgorithm kGraphAlgorithms[] = {
    {"neighbour_allgather.pull", Collective::neighbour_allgather,
     "each rank takes the block of each of its sources", "MPI 3.0 section 7.6"},
    {"neighbour_alltoall.pull", Collective::neighbour_alltoall,
     "each rank takes its own block of each of its sources", "MPI 3.0 section 7.6"}};

/// The key by which both ends of an edge are matched: giver, taker, label.
using EdgeKey = std::tuple<Rank, Rank, std::uint32_t>;

std::string text_of(const EdgeKey& key) {
  const auto& [giver, taker, label] = key;
  return "from rank " + std::to_string(giver) + " to rank " + std::to_string(taker);
}

Error unknown_edge(const EdgeKey& key, Rank who) {
  return {ErrorCode::argument,
          "rank " + std::to_string(who) + " does not know of an edge of the graph " + text_of(key)};
}

/// The giver's blocks by edge, of which takers take one after the other.
class GivenBlocks {
 public:
  explicit GivenBlocks(std::span<const EdgesOfRank> ranks) {
    for (Rank giver = 0; giver < ranks.size(); ++giver) {
      const auto& targets = ranks[giver].targets;
      for (std::size_t block = 0; block < targets.size(); ++block)
        if (const auto& [peer, label] = targets[block]; peer)
          blocks_[{giver, *peer, label}].push_back(static_cast<std::uint16_t>(block));
    }
  }
  /// The next block along such an edge; nothing: its giver knows of no more.
  std::optional<std::uint16_t> take(const EdgeKey& key) {
    const auto found = blocks_.find(key);
    if (found == blocks_.end()) return std::nullopt;
    std::size_t& taken = taken_[key];
    return taken < found->second.size() ? std::optional(found->second[taken++]) : std::nullopt;
  }
  /// An edge of which a block is left; nothing: there is none.
  std::optional<EdgeKey> left() const {
    for (const auto& [key, blocks] : blocks_) {
      const auto taken = taken_.find(key);
      if (taken == taken_.end() || taken->second < blocks.size()) return key;
    }
    return std::nullopt;
  }

 private:
  std::map<EdgeKey, std::vector<std::uint16_t>> blocks_;
  std::map<EdgeKey, std::size_t> taken_;
};

/// The block of the giver's input that goes along an edge.
Region given_along(Collective collective, const BlockEdge& edge) {
  return input(edge.giver, collective == Collective::neighbour_allgather ? 0 : edge.given);
}

}  // namespace

Result<std::vector<BlockEdge>> edges_of(std::span<const EdgesOfRank> ranks) {
  constexpr std::size_t kMostBlocks = std::numeric_limits<std::uint16_t>::max();
  for (Rank rank = 0; rank < ranks.size(); ++rank)
    if (std::max(ranks[rank].sources.size(), ranks[rank].targets.size()) > kMostBlocks)
      return Error{ErrorCode::unsupported,
                   "rank " + std::to_string(rank) + " gives or takes more than " +
                       std::to_string(kMostBlocks) +
                       " blocks, one for each of its edges: expected fewer"};
  GivenBlocks given(ranks);
  std::vector<BlockEdge> edges;
  for (Rank taker = 0; taker < ranks.size(); ++taker) {
    const auto& sources = ranks[taker].sources;
    for (std::size_t block = 0; block < sources.size(); ++block) {
      const auto& [peer, label] = sources[block];
      if (!peer) continue;
      const EdgeKey key{*peer, taker, label};
      const std::optional<std::uint16_t> from = given.take(key);
      if (!from) return unknown_edge(key, *peer);
      edges.push_back({*peer, *from, taker, static_cast<std::uint16_t>(block)});
    }
  }
  if (const std::optional<EdgeKey> left = given.left())
    return unknown_edge(*left, std::get<1>(*left));
  return edges;
}

Plan neighbours_pull(Collective collective, Rank ranks, std::span<const BlockEdge> edges) {
  PlanBuilder plan(std::string(to_text(collective)) + ".pull", ranks);
  plan.bounce_in_place();
  std::vector<std::vector<Copy>> own(ranks), others(ranks);
  for (const BlockEdge& edge : edges) {
    TERRACE_ASSERT(edge.giver < ranks && edge.taker < ranks, edge.giver, edge.taker, ranks);
    auto& copies = edge.giver == edge.taker ? own : others;
    copies[edge.taker].push_back({given_along(collective, edge), output(edge.taker, edge.taken)});
  }
  for (const auto& copies : {own, others})
    for (Rank rank = 0; rank < ranks; ++rank) plan.copy_each(rank, copies[rank]);
  return std::move(plan).build();
}

Result<Plan> lower_neighbours(const Plan& plan) {
  return lower(plan, Lowering::owner, 1);
}

std::span<const GraphAlgorithm> graph_algorithms() {
  return kGraphAlgorithms;
}

const GraphAlgorithm* find_graph_algorithm(std::string_view name) {
  for (const GraphAlgorithm& row : graph_algorithms())
    if (row.name == name) return &row;
  return nullptr;
}

Postcondition postcondition(Collective collective, Rank ranks, std::span<const BlockEdge> edges) {
  Postcondition result;
  result.may_be_in_place = false;
  result.all_are_told = false;
  result.outputs.resize(ranks);
  for (const BlockEdge& edge : edges) {
    auto& output = result.outputs[edge.taker];
    if (output.size() <= edge.taken) output.resize(edge.taken + std::size_t{1});
    const Region given = given_along(collective, edge);
    output[edge.taken] = Terms{{given.rank, given.block}};
  }
  return result;
}

}  // namespace terrace
