// SPDX-License-Identifier: BSD-3-Clause
// Reduce for long vectors, by tiles: every rank combines one tile of its domain's inputs.
//
//     0 [A B]  ─┐  rank 0 combines A of its domain ─┐   tiled  root: [A B] = partials of all
//     1 [A B]  ─┤  rank 1 combines B of its domain ─┤          domains, collected by the root
//     2 [A B]  ─┐  rank 2 combines A of its domain ─┤   push   a rank with a tile in the root's
//     3 [A B]  ─┘  rank 3 combines B of its domain ─┘          domain stores its total at the root
//
// Traffic for n bytes, p ranks, s domains: tiled reads each input once, writes and reads partials
// once: n(p + 3s), and the root alone moves n(s + 1) of it. Push shares that among the root's
// domain; with one domain there are no partials: n(p + 1), the least possible.
// Order: rank order within each domain, domains in order of their leaders.
#include "collectives/tiling.hpp"

namespace terrace {

Plan reduce_tiled(const Shape& shape) {
  const Tiling tiling(without_lone_ranks(shape.hierarchy));
  PlanBuilder plan("reduce.tiled", shape.hierarchy.rank_count(), tiling.tile_count());
  combine_domains(plan, tiling);
  for (const Stripe& stripe : tiling.stripes())
    plan.reduce(shape.root, partials(stripe), {stripe_of(output(shape.root), stripe)});
  return std::move(plan).build();
}

Plan reduce_push(const Shape& shape) {
  const Tiling tiling(without_lone_ranks(shape.hierarchy));
  const std::size_t home = tiling.domain_of(shape.root);
  PlanBuilder plan("reduce.push", shape.hierarchy.rank_count(), tiling.tile_count());
  if (tiling.domains().size() > 1) combine_domains(plan, tiling);
  for (const Stripe& stripe : tiling.stripes())
    plan.reduce(stripe.owners[home], operands_of(tiling, stripe),
                {stripe_of(output(shape.root), stripe)});
  return std::move(plan).build();
}

}  // namespace terrace
