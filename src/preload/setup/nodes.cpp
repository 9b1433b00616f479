// SPDX-License-Identifier: BSD-3-Clause
// Groups ranks by node.
#include "preload/setup/nodes.hpp"

#include <algorithm>
#include <utility>

namespace terrace::preload {

namespace {

/// None is discarded while it could be used again; their number is limited where they are made.
constexpr std::size_t kMostLeadersResting = std::size_t{1} << 20;

std::vector<int> leaders_of(const NodeLayout& layout, std::span<const int> world_ranks) {
  std::vector<int> leaders;
  for (const std::vector<Rank>& ranks : layout.ranks_of)
    leaders.push_back(world_ranks[ranks.front()]);
  return leaders;
}

}  // namespace

NodeLayout layout_of_nodes(std::span<const RankInfo> ranks) {
  NodeLayout layout;
  for (Rank rank = 0; rank < ranks.size(); ++rank) {
    auto& nodes = layout.ranks_of;
    auto node = std::find_if(nodes.begin(), nodes.end(), [&](const std::vector<Rank>& others) {
      return is_same_system(ranks[others.front()], ranks[rank]);
    });
    if (node == nodes.end()) node = nodes.insert(nodes.end(), std::vector<Rank>());
    layout.node_of.push_back(static_cast<Rank>(node - nodes.begin()));
    layout.place_of.push_back(static_cast<Rank>(node->size()));
    node->push_back(rank);
  }
  return layout;
}

std::string objection_to(const NodeLayout& layout, std::size_t most_ranks_on_node) {
  if (layout.nodes() == layout.node_of.size()) return "one rank per node";
  for (const std::vector<Rank>& ranks : layout.ranks_of)
    if (ranks.size() > most_ranks_on_node)
      return "more ranks on a node than teams may have (" + std::to_string(most_ranks_on_node) +
             ")";
  return "";
}

Resting<Leaders>& resting_leaders() {
  static auto* const the =
      new Resting<Leaders>(kMostLeadersResting);  // programs may call until they have ended
  return *the;
}

OverNodes::OverNodes(NodeLayout its_layout, Rank its_rank, std::span<const int> world_ranks)
    : layout(std::move(its_layout)),
      rank(its_rank),
      leaders_in_world(leaders_of(layout, world_ranks)) {}

OverNodes::~OverNodes() {
  if (leaders)
    resting_leaders().rest(leaders_in_world, ticket, std::move(leaders), 0);
  else
    resting_leaders().release_ticket(leaders_in_world, ticket);
}

}  // namespace terrace::preload
