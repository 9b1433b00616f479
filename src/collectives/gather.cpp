// SPDX-License-Identifier: BSD-3-Clause
// Gather and scatter: blocks from all ranks to the root, and from the root to all ranks.
//
//     gather   flat   root [0 1 2 3]  reads a block of each rank
//              push   0 ─┐ 1 ─┐ 2 ─┐  each rank stores its block at the root
//     scatter  flat   0 ─┐ 1 ─┐ 2 ─┐  each rank reads its block of the root
//
// Traffic: each block is read once and written once, and crosses a domain boundary at most once, so
// leaders in between would save nothing.
// Flat gather leaves all the work to the root; push shares it, but takes lines that the root may
// need next out of its cache.
// Order: nothing is combined.
#include "collectives/collectives.hpp"
#include "collectives/domains.hpp"

namespace terrace {

Plan gather_flat(const Shape& shape) {
  const Rank root = shape.root;
  PlanBuilder plan("gather.flat", shape.hierarchy.rank_count());
  plan.copy(root, input(root, root), output(root, root));
  std::vector<Copy> copies;
  for (Rank rank : others_from(shape.hierarchy.all.ranks, root))
    copies.push_back({input(rank, rank), output(root, rank)});
  plan.copy_each(root, copies);
  return std::move(plan).build();
}

Plan gather_push(const Shape& shape) {
  PlanBuilder plan("gather.push", shape.hierarchy.rank_count());
  for (Rank rank : shape.hierarchy.all.ranks)
    plan.copy(rank, input(rank, rank), output(shape.root, rank));
  return std::move(plan).build();
}

Plan scatter_flat(const Shape& shape) {
  PlanBuilder plan("scatter.flat", shape.hierarchy.rank_count());
  for (Rank rank : shape.hierarchy.all.ranks)
    plan.copy(rank, input(shape.root, rank), output(rank, rank));
  return std::move(plan).build();
}

}  // namespace terrace
