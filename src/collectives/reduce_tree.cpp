// SPDX-License-Identifier: BSD-3-Clause
// Reduce over a tree towards the root.
//
//     tree      rounds of `radix` neighbours         all_read   every member of a group at once
//               0 1 2   3 4 5                                   0 1 2 3   4 5 6 7
//               └─┼─┘   └─┼─┘                                   └─┴┬┴─┘   └─┴┬┴─┘
//                 0 ───── 3                                        0 ─────── 4
//
// In each group that contains the root, the root is the head and does the work, so that the total
// ends at the root.
// Traffic: each input is read once; radix - 1 partials a round besides.
// Order: rank order within each group, groups in order of their leaders, for every head.
#include <limits>

#include "collectives/climb.hpp"

namespace terrace {

Plan reduce_tree(const Shape& shape) {
  PlanBuilder plan("reduce.tree", shape.hierarchy.rank_count());
  climb(plan, shape.hierarchy.all, shape.root, shape.radix, output(shape.root));
  return std::move(plan).build();
}

Plan reduce_all_read(const Shape& shape) {
  PlanBuilder plan("reduce.all_read", shape.hierarchy.rank_count());
  const std::uint32_t everybody = std::numeric_limits<std::uint32_t>::max();
  climb(plan, shape.hierarchy.all, shape.root, everybody, output(shape.root));
  return std::move(plan).build();
}

}  // namespace terrace
