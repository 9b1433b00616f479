// SPDX-License-Identifier: BSD-3-Clause
// Groups ranks by node, and moves a value between ranks: by a copy within a node, by a message
// across nodes.
#include "collectives/nodes.hpp"

#include <algorithm>

namespace terrace {

namespace {

bool is_on_one_node(const Group& group, const std::vector<std::uint32_t>& nodes) {
  return std::all_of(group.ranks.begin(), group.ranks.end(),
                     [&](Rank rank) { return nodes[rank] == nodes[group.leader()]; });
}

/// The outermost groups that each lie on one node.
void collect(const Group& group, const std::vector<std::uint32_t>& nodes,
             std::vector<std::vector<Group>>& found) {
  if (is_on_one_node(group, nodes)) return found[nodes[group.leader()]].push_back(group);
  for (const Group& child : group.children) collect(child, nodes, found);
}

/// Joins the outermost groups of a node to one, each a part of it.
Group joined(std::vector<Group> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  Group node{"node", 0, {}, {}};
  for (Group& part : parts) {
    node.ranks.insert(node.ranks.end(), part.ranks.begin(), part.ranks.end());
    node.children.push_back(std::move(part));
  }
  std::sort(node.ranks.begin(), node.ranks.end());
  return node;
}

}  // namespace

std::vector<Group> node_groups(const Hierarchy& hierarchy) {
  if (hierarchy.nodes.empty()) return {hierarchy.all};
  const auto last = std::max_element(hierarchy.nodes.begin(), hierarchy.nodes.end());
  std::vector<std::vector<Group>> found(*last + 1u);
  collect(hierarchy.all, hierarchy.nodes, found);
  std::vector<Group> nodes;
  for (std::vector<Group>& parts : found) nodes.push_back(joined(std::move(parts)));
  return nodes;
}

PlanBuilder begin_across_nodes(const std::string& name, const Hierarchy& hierarchy,
                               std::uint32_t tiles) {
  return PlanBuilder(name, hierarchy.rank_count(), tiles, hierarchy.nodes);
}

void hand(PlanBuilder& plan, const Region& from, const Region& to) {
  if (plan.are_on_one_node(from.rank, to.rank))
    plan.copy(to.rank, from, to);
  else
    plan.send(from, to);
}

}  // namespace terrace
