// SPDX-License-Identifier: BSD-3-Clause
// Allreduce for long vectors, by tiles: every rank combines one tile of its domain, domains
// exchange partials once, and the tiles are spread within each domain.
//
//     inputs    0 [A B C D]     tiled   rank 0 combines A of all ranks of its domain into its
//               1 [A B C D]             output; the others copy it from there (pull)
//               2 [A B C D]     push    rank 0 combines A and stores it to all outputs of its
//               3 [A B C D]             domain at once (fused push)
//     two domains {0 1} {2 3}: 0 and 2 own [A B], each reads the other's partial
//
// Traffic for n bytes, p ranks, one domain: tiled reads pn and writes n, then copies (p - 1)n,
// so n(3p - 1); push reads pn and writes pn: 2pn, the least possible.
// Push writes lines that peers have read, which between distant caches costs more than pulling.
// Order: rank order within each domain, domains in order of their leaders; the same for all ranks.
#include "collectives/domains.hpp"
#include "collectives/tiling.hpp"
#include "plan/lower.hpp"

namespace terrace {

namespace {

/// `targets(rank, domain)` says where a rank puts its finished stripes.
template <class Targets>
void combine_all(PlanBuilder& plan, const Tiling& tiling, Targets targets) {
  const auto& domains = tiling.domains();
  if (domains.size() > 1) combine_domains(plan, tiling);
  for (std::size_t domain = 0; domain < domains.size(); ++domain)
    for (const Stripe& stripe : tiling.stripes()) {
      std::vector<Region> to;
      for (Rank rank : targets(stripe.owners[domain], domains[domain]))
        to.push_back(stripe_of(output(rank), stripe));
      plan.reduce(stripe.owners[domain], operands_of(tiling, stripe), to);
    }
}

}  // namespace

Plan allreduce_tiled(const Shape& shape) {
  const Tiling tiling(without_lone_ranks(shape.hierarchy));
  PlanBuilder plan("allreduce.tiled", shape.hierarchy.rank_count(), tiling.tile_count());
  combine_all(plan, tiling, [](Rank owner, const auto&) { return std::vector<Rank>{owner}; });
  // A step for each pair of many ranks takes more memory than all that they share.
  const bool are_many = shape.hierarchy.rank_count() > kMostRanksTogether;
  for (std::size_t domain = 0; domain < tiling.domains().size(); ++domain)
    for (Rank rank : tiling.domains()[domain]) {
      std::vector<Copy> copies;
      for (Rank owner : others_from(tiling.domains()[domain], rank)) {
        const Stripe share = tiling.share_of(domain, owner);
        if (share.count == 0) continue;
        copies.push_back({stripe_of(output(owner), share), stripe_of(output(rank), share)});
        if (!are_many) plan.copy(rank, copies.back().from, copies.back().to);
      }
      if (are_many) plan.copy_each(rank, copies);
    }
  return std::move(plan).build();
}

Plan allreduce_push(const Shape& shape) {
  const Tiling tiling(without_lone_ranks(shape.hierarchy));
  PlanBuilder plan("allreduce.push", shape.hierarchy.rank_count(), tiling.tile_count());
  combine_all(plan, tiling, [](Rank owner, const std::vector<Rank>& domain) {
    std::vector<Rank> targets = others_from(domain, owner);
    targets.insert(targets.begin(), owner);
    return targets;
  });
  return std::move(plan).build();
}

}  // namespace terrace
