// SPDX-License-Identifier: BSD-3-Clause
// Allreduce over a tree: partial sums climb to rank 0, the total comes back down.
//
//     0 ─┬─ 1                 up    the first of `radix` neighbours combines them in one pass
//        ├─ 2 ─┬─ 3                 over memory; domains meet only at the top
//        │     └─ 4           down  one-stage: every rank reads rank 0's total at once;
//        └─ ...                     staged: leaders read it, then members read their leader
//
// Traffic: an inner rank reads radix operands and writes one partial a round; every rank but 0
// reads the total once. One-stage crosses a domain boundary once per rank, staged once per domain.
// Order: rank order within each group, groups in order of their leaders; the same for all ranks.
#include "collectives/climb.hpp"

namespace terrace {

Plan allreduce_tree(const Shape& shape) {
  PlanBuilder plan("allreduce.tree", shape.hierarchy.rank_count());
  climb(plan, shape.hierarchy.all, 0, shape.radix, output(0));
  read_all_at_once(plan, shape.hierarchy.all, {0, output(0)});
  return std::move(plan).build();
}

Plan allreduce_tree_staged(const Shape& shape) {
  PlanBuilder plan("allreduce.tree_staged", shape.hierarchy.rank_count());
  climb(plan, shape.hierarchy.all, 0, shape.radix, output(0));
  descend(plan, shape.hierarchy.all, {0, output(0)}, 0);
  return std::move(plan).build();
}

}  // namespace terrace
