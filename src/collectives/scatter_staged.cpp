// SPDX-License-Identifier: BSD-3-Clause
// Scatter in two stages: the blocks of a group go to its leader together, and each member takes its
// own.
//
//     root 0 [0 1 2 3 4 5]     leader 3 takes [3 4 5] at once; then 4 and 5 take theirs from 3
//                              0's own group {0 1 2} takes its blocks from the root
//
// Groups are the nodes, where there are several: one message to each; else the domains.
// Traffic for blocks of n bytes, p ranks: p blocks, and those of other groups once more.
// Order: nothing is combined.
#include <algorithm>

#include "collectives/domains.hpp"
#include "collectives/nodes.hpp"

namespace terrace {

namespace {

std::vector<std::vector<Rank>> stages_of(const Hierarchy& hierarchy) {
  if (hierarchy.nodes.empty()) return domains_of(hierarchy);
  std::vector<std::vector<Rank>> groups;
  for (const Group& node : node_groups(hierarchy)) groups.push_back(node.ranks);
  return groups;
}

bool holds(const std::vector<Rank>& group, Rank rank) {
  return std::find(group.begin(), group.end(), rank) != group.end();
}

/// Blocks of `group` from the root to its leader: its own to its output, the others to scratch.
Message to_leader(const std::vector<Rank>& group, Rank root) {
  const Rank leader = group.front();
  Message message = {{input(root, leader), output(leader, leader)}};
  for (std::uint32_t i = 1; i < group.size(); ++i)
    message.push_back({input(root, group[i]), scratch(leader, i - 1)});
  return message;
}

}  // namespace

Plan scatter_staged(const Shape& shape) {
  const Rank root = shape.root;
  PlanBuilder plan = begin_across_nodes("scatter.staged", shape.hierarchy);
  const std::vector<std::vector<Rank>> groups = stages_of(shape.hierarchy);
  for (const std::vector<Rank>& group : groups) {
    if (holds(group, root)) continue;
    if (plan.are_on_one_node(root, group.front()))
      plan.copy_each(group.front(), to_leader(group, root));
    else
      plan.send_all({to_leader(group, root)});
  }
  for (const std::vector<Rank>& group : groups)
    for (std::uint32_t i = 0; i < group.size(); ++i) {
      const Rank rank = group[i];
      if (holds(group, root))
        plan.copy(rank, input(root, rank), output(rank, rank));
      else if (i > 0)
        plan.copy(rank, scratch(group.front(), i - 1), output(rank, rank));
    }
  return std::move(plan).build();
}

}  // namespace terrace
