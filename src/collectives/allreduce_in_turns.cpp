// SPDX-License-Identifier: BSD-3-Clause
// Allreduce for ranks that take turns on cores in the order of their ranks: the last rank of each
// core combines what the others have left there, the last ones read each other's sums, and the
// others take the total from the last one of their core when it is their turn again.
//
//     core A   0   1   2   3          turn 1    0, 1, 2 leave their inputs; 3 finds them, and
//              └───┴───┴──►│                    combines all four
//                          ⇅          across    3 and 7 read each other's sums
//              ┌───┬───┬──►│
//     core B   4   5   6   7          turn 2    4, 5, 6 find the total at 7
//
// Each rank gives its core away once in a call, and hardly ever gets it back in vain.
//
// Traffic: each input is read once, on the core that wrote it; a core's last rank reads one value
// of each other core; all others read the total once, on their core.
// Order: rank order on each core, cores in order of their first ranks; the same for all ranks.
#include "collectives/collectives.hpp"

namespace terrace {

namespace {

/// The ranks of each group without parts, in order of their first ranks.
void add_innermost(const Group& group, std::vector<std::vector<Rank>>& found) {
  if (group.children.empty()) found.push_back(group.ranks);
  for (const Group& child : group.children) add_innermost(child, found);
}

}  // namespace

Plan allreduce_in_turns(const Shape& shape) {
  PlanBuilder plan("allreduce.in_turns", shape.hierarchy.rank_count());
  std::vector<std::vector<Rank>> cores;
  add_innermost(shape.hierarchy.all, cores);
  std::vector<Region> sums;
  for (const std::vector<Rank>& core : cores) {
    const Rank last = core.back();
    std::vector<Region> inputs;
    for (const Rank rank : core) inputs.push_back(input(rank));
    sums.push_back(cores.size() == 1 ? output(last) : scratch(last));
    plan.reduce(last, inputs, {sums.back()});
  }
  for (const std::vector<Rank>& core : cores)
    if (cores.size() > 1) plan.reduce(core.back(), sums, {output(core.back())});
  for (const std::vector<Rank>& core : cores)
    for (const Rank rank : core)
      if (rank != core.back()) plan.copy(rank, output(core.back()), output(rank));
  return std::move(plan).build();
}

}  // namespace terrace
