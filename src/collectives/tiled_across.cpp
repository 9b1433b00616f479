// SPDX-License-Identifier: BSD-3-Clause
// Tiles within domains, rounds across them: every rank combines one tile of its domain's inputs;
// then the owners of a tile meet by twos.
//
//     domains    {0 1} {2 3} {4 5} {6 7}      0, 2, 4 and 6 own tile A of their domains
//     tree       0+2 at 0, 4+6 at 4;  0+4 at 0;  all ranks copy all tiles from domain 0
//                (reduce: the root alone does)
//     hypercube  0+2 at 0 and 2, 4+6 at 4 and 6;  0+4 at all four;  all copy from their own domain
//
// The published text has the tree (figure 7), with a one-stage broadcast after it here; the code
// published with it has the hypercube and copies within the domain, where it is right for up to
// four domains. Here domains in excess of a power of two join before, and get the total afterwards.
// Traffic for n bytes, p ranks, s domains: pn read within domains; across, the tree takes (s - 1)n
// up and (p - p / s)n down, the hypercube s n in each of log2 s rounds, and nothing down.
// Order: rank order within each domain, then domains as in a binary tree; the same for all ranks.
#include <bit>

#include "collectives/domains.hpp"
#include "collectives/tiling.hpp"

namespace terrace {

namespace {

/// Each rank's partial of a stripe, and the sums of several.
Region partial(const Stripe& stripe, std::size_t domain, std::uint32_t round) {
  return stripe_of(scratch(stripe.owners[domain], round), stripe);
}

void copy_from_owners(PlanBuilder& plan, const Tiling& tiling, std::size_t owners, Rank rank) {
  for (Rank owner : others_from(tiling.domains()[owners], rank)) {
    const Stripe share = tiling.share_of(owners, owner);
    if (share.count != 0)
      plan.copy(rank, stripe_of(output(owner), share), stripe_of(output(rank), share));
  }
}

/// Pairs of domains 1, 2, 4, ... apart; the lower one keeps the sum. The last sum goes to `total`.
void climb_domains(PlanBuilder& plan, const Stripe& stripe, const Region& total) {
  const std::size_t count = stripe.owners.size();
  std::vector<std::uint32_t> rounds(count, 0);
  for (std::size_t step = 1; step < count; step *= 2)
    for (std::size_t d = 0; d + step < count; d += 2 * step) {
      const Region mine = partial(stripe, d, rounds[d]);
      const bool is_last = d == 0 && 2 * step >= count;
      const Region sum = is_last ? stripe_of(total, stripe) : partial(stripe, d, ++rounds[d]);
      plan.reduce(stripe.owners[d], {mine, partial(stripe, d + step, rounds[d + step])}, {sum});
    }
}

class Hypercube {
 public:
  Hypercube(PlanBuilder& plan, const Stripe& stripe)
      : plan_(plan), stripe_(stripe), core_(std::bit_floor(stripe.owners.size())) {
    for (std::size_t d = 0; d < stripe.owners.size(); ++d) values_.push_back(partial(stripe, d, 0));
  }

  void run() {
    for (std::size_t d = core_; d < values_.size(); ++d) take_in(d - core_, d);
    for (std::size_t step = 1; step < core_; step *= 2) {
      const std::vector<Region> before = values_;
      for (std::size_t d = 0; d < core_; ++d) {
        const std::size_t low = std::min(d, d ^ step), high = std::max(d, d ^ step);
        values_[d] = place(d, 2 * step >= core_);
        plan_.reduce(stripe_.owners[d], {before[low], before[high]}, {values_[d]});
      }
    }
    for (std::size_t d = core_; d < values_.size(); ++d)
      plan_.copy(stripe_.owners[d], stripe_of(output(stripe_.owners[d - core_]), stripe_),
                 stripe_of(output(stripe_.owners[d]), stripe_));
  }

 private:
  void take_in(std::size_t domain, std::size_t other) {
    const Region mine = values_[domain];
    values_[domain] = place(domain, false);
    plan_.reduce(stripe_.owners[domain], {mine, values_[other]}, {values_[domain]});
  }

  Region place(std::size_t domain, bool is_last) const {
    const Rank owner = stripe_.owners[domain];
    const std::uint32_t block = values_[domain].block + 1u;
    return stripe_of(is_last ? output(owner) : scratch(owner, block), stripe_);
  }

  PlanBuilder& plan_;
  const Stripe& stripe_;
  std::size_t core_;
  std::vector<Region> values_;
};

/// Finishes with one domain, where nothing goes across: partials are totals.
void finish_one_domain(PlanBuilder& plan, const Tiling& tiling) {
  for (const Stripe& stripe : tiling.stripes())
    plan.reduce(stripe.owners[0], operands_of(tiling, stripe),
                {stripe_of(output(stripe.owners[0]), stripe)});
}

}  // namespace

Plan allreduce_tiled_tree(const Shape& shape) {
  const Tiling tiling(shape.hierarchy);
  const Rank ranks = shape.hierarchy.rank_count();
  PlanBuilder plan("allreduce.tiled_tree", ranks, tiling.tile_count());
  if (tiling.domains().size() == 1) {
    finish_one_domain(plan, tiling);
  } else {
    combine_domains(plan, tiling);
    for (const Stripe& stripe : tiling.stripes())
      climb_domains(plan, stripe, output(stripe.owners[0]));
  }
  for (Rank rank = 0; rank < ranks; ++rank) copy_from_owners(plan, tiling, 0, rank);
  return std::move(plan).build();
}

Plan reduce_tiled_tree(const Shape& shape) {
  const Tiling tiling(shape.hierarchy);
  PlanBuilder plan("reduce.tiled_tree", shape.hierarchy.rank_count(), tiling.tile_count());
  combine_domains(plan, tiling);
  const auto rounds = static_cast<std::uint32_t>(std::bit_width(tiling.domains().size() - 1));
  const auto total = [&](const Stripe& stripe) { return scratch(stripe.owners[0], rounds); };
  for (const Stripe& stripe : tiling.stripes()) climb_domains(plan, stripe, total(stripe));
  for (const Stripe& stripe : tiling.stripes())
    plan.copy(shape.root, stripe_of(total(stripe), stripe), stripe_of(output(shape.root), stripe));
  return std::move(plan).build();
}

Plan allreduce_tiled_hypercube(const Shape& shape) {
  const Tiling tiling(shape.hierarchy);
  const Rank ranks = shape.hierarchy.rank_count();
  PlanBuilder plan("allreduce.tiled_hypercube", ranks, tiling.tile_count());
  if (tiling.domains().size() == 1) {
    finish_one_domain(plan, tiling);
  } else {
    combine_domains(plan, tiling);
    for (const Stripe& stripe : tiling.stripes()) Hypercube(plan, stripe).run();
  }
  for (Rank rank = 0; rank < ranks; ++rank)
    copy_from_owners(plan, tiling, tiling.domain_of(rank), rank);
  return std::move(plan).build();
}

}  // namespace terrace
