// SPDX-License-Identifier: BSD-3-Clause
// Allreduce along a chain.
//
//     0 ── 1 ── 2 ── 3     each adds its input to what the one before it has; then all copy from 3
//
// Traffic for n bytes, p ranks: each reads 2n and writes n on the way up, n and n on the way back.
// Order: rank order, the same for all ranks.
#include "collectives/collectives.hpp"

namespace terrace {

Plan allreduce_chain(const Shape& shape) {
  const Rank ranks = shape.hierarchy.rank_count(), last = ranks - 1;
  PlanBuilder plan("allreduce.chain", ranks);
  Region sum = input(0);
  for (Rank rank = 1; rank < last; ++rank) {
    plan.reduce(rank, {sum, input(rank)}, {scratch(rank)});
    sum = scratch(rank);
  }
  if (last == 0)
    plan.copy(0, input(0), output(0));
  else
    plan.reduce(last, {sum, input(last)}, {output(last)});
  for (Rank rank = 0; rank < last; ++rank) plan.copy(rank, output(last), output(rank));
  return std::move(plan).build();
}

}  // namespace terrace
