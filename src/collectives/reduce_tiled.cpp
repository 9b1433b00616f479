// SPDX-License-Identifier: BSD-3-Clause
// Reduce for long vectors, by tiles: every rank combines one tile of its domain's inputs, the root
// combines the domains' partials, or copies where there is one domain.
//
//     0 [A B]  ─┐  rank 0 combines A of its domain ─┐
//     1 [A B]  ─┤  rank 1 combines B of its domain ─┴─ root: [A B] = partials of all domains
//
// Traffic: each input is read once, partials are written and read once: n(p + 3s) bytes for s
// domains. The root alone writes the result; the sums are everybody's work.
// Order: rank order within each domain, domains in order of their leaders.
#include "collectives/tiling.hpp"

namespace terrace {

Plan reduce_tiled(const Shape& shape) {
  const Tiling tiling(shape.hierarchy);
  PlanBuilder plan("reduce.tiled", shape.hierarchy.rank_count(), tiling.tile_count());
  combine_domains(plan, tiling);
  for (const Stripe& stripe : tiling.stripes())
    plan.reduce(shape.root, partials(stripe),
                {output(shape.root).tiles(stripe.first, stripe.count)});
  return std::move(plan).build();
}

}  // namespace terrace
