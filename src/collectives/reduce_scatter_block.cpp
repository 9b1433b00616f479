// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter_block: rank r gets the combination of block r of all inputs.
//
//     flat     0 [A B C D]    rank 0 combines A of all, rank 1 B, rank 2 C, ...
//              1 [A B C D]
//              ...
//     staged   domain {0 1}: 0 combines A and C of its domain, 1 combines B and D
//              domain {2 3}: 2 combines A and C,               3 combines B and D
//              then each rank combines the domains' partials of its own block
//
// Traffic for blocks of n bytes, p ranks, s domains: flat reads p blocks per rank, most of them
// from other domains; staged reads p blocks per rank within its own domain, writes s partials, and
// reads only s - 1 partials from other domains. One domain, or one rank, has no partials.
// Order: rank order within each domain, domains in order of their leaders; flat: rank order.
#include "collectives/collectives.hpp"
#include "collectives/domains.hpp"

namespace terrace {

namespace {

/// In place, a rank's result takes the place of its block 0, which rank 0 reads: such ranks are
/// bounced, so that the others need not wait for rank 0.
void combine_own_blocks(PlanBuilder& plan, const std::vector<Rank>& ranks) {
  plan.bounce_in_place();
  for (Rank rank : ranks) {
    std::vector<Region> operands;
    for (Rank peer : ranks) operands.push_back(input(peer, rank));
    plan.reduce(rank, operands, {output(rank)});
  }
}

/// Returns where a domain's partial of a block lies: that of one rank is its input.
Region partial(const std::vector<Rank>& domain, Rank block) {
  const std::size_t size = domain.size();
  if (size == 1) return input(domain[0], block);
  return scratch(domain[block % size], static_cast<std::uint32_t>(block / size));
}

void combine_domain(PlanBuilder& plan, const std::vector<Rank>& domain, Rank blocks) {
  if (domain.size() == 1) return plan.bounce_in_place();  // as above: peers read its input
  for (Rank block = 0; block < blocks; ++block) {
    std::vector<Region> operands;
    for (Rank rank : domain) operands.push_back(input(rank, block));
    const Region target = partial(domain, block);
    plan.reduce(target.rank, operands, {target});
  }
}

}  // namespace

Plan reduce_scatter_block_flat(const Shape& shape) {
  PlanBuilder plan("reduce_scatter_block.flat", shape.hierarchy.rank_count());
  combine_own_blocks(plan, shape.hierarchy.all.ranks);
  return std::move(plan).build();
}

Plan reduce_scatter_block_staged(const Shape& shape) {
  const Rank ranks = shape.hierarchy.rank_count();
  PlanBuilder plan("reduce_scatter_block.staged", ranks);
  const std::vector<std::vector<Rank>> domains = domains_of(shape.hierarchy);
  if (domains.size() == 1) {
    combine_own_blocks(plan, shape.hierarchy.all.ranks);
    return std::move(plan).build();
  }
  for (const std::vector<Rank>& domain : domains) combine_domain(plan, domain, ranks);
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::vector<Region> operands;
    for (const std::vector<Rank>& domain : domains) operands.push_back(partial(domain, rank));
    plan.reduce(rank, operands, {output(rank)});
  }
  return std::move(plan).build();
}

}  // namespace terrace
