// SPDX-License-Identifier: BSD-3-Clause
// Broadcast, four ways down from the root.
//
//     flat    root ─┬─ 1 ─ ...     staged  root ─┬─ leader ─┬─ member     tree  as staged, but a
//                   ├─ 2                         │          └─ member           holder feeds
//                   └─ 3                         └─ member                      radix - 1 a round
//     split   root [A B C]: stores A to 1 and 2, which read B and C meanwhile; then leaders do so
//
// Traffic: each rank reads the vector once and writes it once; in split the holder moves a share
// for its receivers, so that no core is idle. Flat crosses domain boundaries once
// per rank beyond them, staged and tree once per domain; tree bounds how many read one rank.
// Order: nothing is combined.
#include "collectives/climb.hpp"

namespace terrace {

Plan bcast_flat(const Shape& shape) {
  PlanBuilder plan("bcast.flat", shape.hierarchy.rank_count());
  read_all_at_once(plan, shape.hierarchy.all, {shape.root, input(shape.root)});
  return std::move(plan).build();
}

Plan bcast_staged(const Shape& shape) {
  PlanBuilder plan("bcast.staged", shape.hierarchy.rank_count());
  descend(plan, shape.hierarchy.all, {shape.root, input(shape.root)}, 0);
  return std::move(plan).build();
}

Plan bcast_tree(const Shape& shape) {
  PlanBuilder plan("bcast.tree", shape.hierarchy.rank_count());
  descend(plan, shape.hierarchy.all, {shape.root, input(shape.root)}, shape.radix);
  return std::move(plan).build();
}

Plan bcast_split(const Shape& shape) {
  const Rank ranks = shape.hierarchy.rank_count();
  PlanBuilder plan("bcast.split", ranks, ranks);
  descend_split(plan, shape.hierarchy.all, {shape.root, input(shape.root)}, ranks);
  return std::move(plan).build();
}

}  // namespace terrace
