// SPDX-License-Identifier: BSD-3-Clause
// Compares the ends of a graph's edges, and matches blocks.
#include "preload/setup/told_graph.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace terrace::preload {

namespace {

constexpr const char* kOneSided = "not both ends of each edge of its graph know of it";
constexpr const char* kProcNullNamed = "its graph names MPI_PROC_NULL, with which some MPIs crash";

using Edge = std::pair<std::int32_t, std::int32_t>;  ///< giver, taker

/// Counts of an edge's mentions by its giver and its taker.
struct Mentions {
  std::int64_t by_giver = 0, by_taker = 0;
};

std::map<Edge, Mentions> mentions_in(std::span<const ToldNeighbours> ranks) {
  std::map<Edge, Mentions> mentions;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto own = static_cast<std::int32_t>(rank);
    for (const std::int32_t target : ranks[rank].targets) ++mentions[{own, target}].by_giver;
    for (const std::int32_t source : ranks[rank].sources) ++mentions[{source, own}].by_taker;
  }
  return mentions;
}

std::size_t most_given(std::span<const ToldNeighbours> ranks) {
  std::size_t most = 0;
  for (const ToldNeighbours& one : ranks) most = std::max(most, one.targets.size());
  return most;
}

}  // namespace

std::string objection_to_graph(std::span<const ToldNeighbours> ranks, bool is_grid,
                               std::size_t most_blocks) {
  std::size_t edges = 0;
  for (const ToldNeighbours& one : ranks) {
    if (!one.are_known) return kGraphRefused;
    edges += one.sources.size();
    if (std::max(one.sources.size(), one.targets.size()) > most_blocks || edges > kMostEdges)
      return kTooManyEdges;
  }
  for (const auto& [edge, mentions] : mentions_in(ranks)) {
    const bool is_of_ranks = std::min(edge.first, edge.second) >= 0 &&
                             std::max(edge.first, edge.second) < std::ssize(ranks);
    if (!is_of_ranks && !is_grid) return kProcNullNamed;
    if (is_of_ranks && mentions.by_giver != mentions.by_taker) return kOneSided;
  }
  return "";
}

std::optional<EdgesOfGraph> single_edges(std::span<const ToldNeighbours> ranks) {
  std::map<Edge, std::size_t> block_given;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    for (std::size_t i = 0; i < ranks[rank].targets.size(); ++i) {
      const std::int32_t taker = ranks[rank].targets[i];
      if (taker >= 0 && !block_given.insert({{static_cast<std::int32_t>(rank), taker}, i}).second)
        return std::nullopt;
    }
  EdgesOfGraph found;
  found.most_given = most_given(ranks);
  for (std::size_t taker = 0; taker < ranks.size(); ++taker)
    for (std::size_t i = 0; i < ranks[taker].sources.size(); ++i) {
      const std::int32_t giver = ranks[taker].sources[i];
      if (giver < 0) continue;
      const std::size_t given = block_given.at({giver, static_cast<std::int32_t>(taker)});
      found.edges.push_back({static_cast<Rank>(giver), static_cast<std::uint16_t>(given),
                             static_cast<Rank>(taker), static_cast<std::uint16_t>(i)});
    }
  return found;
}

std::optional<EdgesOfGraph> edges_of_blocks(std::span<const ToldNeighbours> ranks,
                                            std::span<const std::vector<BlockName>> came) {
  EdgesOfGraph found;
  found.most_given = most_given(ranks);
  for (std::size_t taker = 0; taker < ranks.size(); ++taker)
    for (std::size_t i = 0; i < ranks[taker].sources.size(); ++i) {
      const BlockName& block = came[taker][i];
      if (block.rank < 0) continue;
      const auto giver = static_cast<std::size_t>(block.rank);
      if (giver >= ranks.size() || block.number < 0 ||
          block.number >= std::ssize(ranks[giver].targets))
        return std::nullopt;
      found.edges.push_back({static_cast<Rank>(giver), static_cast<std::uint16_t>(block.number),
                             static_cast<Rank>(taker), static_cast<std::uint16_t>(i)});
    }
  return found;
}

std::vector<BlockName> named_blocks(Rank own, std::size_t blocks) {
  // Some MPIs refuse null buffers even of no blocks.
  std::vector<BlockName> named(std::max<std::size_t>(blocks, 1));
  for (std::size_t i = 0; i < named.size(); ++i)
    named[i] = {static_cast<std::int32_t>(own), static_cast<std::int32_t>(i)};
  return named;
}

}  // namespace terrace::preload
