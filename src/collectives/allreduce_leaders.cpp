// SPDX-License-Identifier: BSD-3-Clause
// Allreduce across nodes by leaders: each node reduces to its leader, leaders exchange, each node
// gets the total from its leader.
//
//     node 0   0 ─┬─ 1        up    a tree within the node
//                 └─ 2 ─ 3
//              0 <=> 4        across  leaders exchange by recursive doubling; nodes in excess of a
//     node 1   4 ─┬─ 5                power of two join before and get the total afterwards
//                 └─ ...      down  leaders of domains, then their members
//
// On one node it is a tree with a staged broadcast.
// Traffic for n bytes, P nodes: log2 P messages of n at each leader, and one more each way at those
// that serve an excess node.
// Order: rank order within each group; then nodes as in a binary tree. The same for all ranks.
#include "collectives/allreduce_dissemination.hpp"
#include "collectives/climb.hpp"

namespace terrace {

Plan allreduce_leaders(const Shape& shape) {
  PlanBuilder plan = begin_across_nodes("allreduce.leaders", shape.hierarchy);
  const std::vector<Group> nodes = node_groups(shape.hierarchy);
  std::vector<Region> totals;
  for (const Group& node : nodes) {
    const Rank leader = node.leader();
    totals.push_back(nodes.size() == 1 ? output(leader) : scratch(leader, 1));
    climb(plan, node, leader, shape.radix, totals.back());
  }
  if (nodes.size() > 1) Dissemination(plan, Partners::opposite).run_across(totals);
  for (const Group& node : nodes) descend(plan, node, {node.leader(), output(node.leader())}, 0);
  return std::move(plan).build();
}

}  // namespace terrace
