// SPDX-License-Identifier: BSD-3-Clause
// Long vectors among many ranks, first scattered, a tile to each rank, then gathered everywhere.
//
//     domain A   0 [a b c d]  1 [a b c d]     4 ranks, 4 tiles: 0 has a, 2 has b, 1 has c, 3 has d
//     domain B   2 [a b c d]  3 [a b c d]     0 and 2 have share ab of their domains, 1 and 3 cd
//
//     reduce     0 combines ab of 0 and 1, 2 that of 2 and 3; then 0 combines a of both domains,
//                2 b; a rank that has combined a tile of all stores it at the root
//     allreduce  likewise, but keeps the tile; then 0 takes b from 2, and 1 ab from 0
//     bcast      2 takes b from the root, 1 c, 3 d; then on as in an allreduce
//
// Traffic for n bytes, p ranks, s domains: allreduce reads n in its domain and s n / p partials,
// then s n / p tiles of other domains and n in its own, whatever the domains' sizes. Tiled combines
// a domain's share in each domain, push stores from each: s times as many bytes cross. The root of
// a bcast gives n bytes once; flat and staged ask it for n bytes per rank or domain.
// Order: rank order within each domain, domains in order of their leaders; the same for all ranks.
#include <algorithm>

#include "collectives/domains.hpp"
#include "collectives/tiling.hpp"

namespace terrace {

namespace {

using Ranks = std::vector<Rank>;

/// The owners of tiles. Where domains are of equal size, those who have the same share of their
/// domains have the tiles of that share.
class Scattering {
 public:
  explicit Scattering(const Hierarchy& hierarchy)
      : tiling_(hierarchy), owners_(hierarchy.all.ranks) {
    std::vector<std::size_t> at(owners_.size()), of(owners_.size());
    for (const Ranks& domain : tiling_.domains())
      for (std::size_t position = 0; position < domain.size(); ++position) {
        at[domain[position]] = 2 * position + 1;
        of[domain[position]] = domain.size();
      }
    std::stable_sort(owners_.begin(), owners_.end(),
                     [&](Rank a, Rank b) { return at[a] * of[b] < at[b] * of[a]; });
  }

  const Tiling& tiling() const { return tiling_; }
  Rank owner(std::uint32_t tile) const { return owners_[tile]; }
  const std::vector<Ranks>& domains() const { return tiling_.domains(); }
  std::uint32_t tiles() const { return tiling_.tile_count(); }

 private:
  Tiling tiling_;
  Ranks owners_;  ///< by tile
};

/// The owner of each tile combines it, of all ranks, into `target(owner)`.
template <class Target>
void combine_tiles(PlanBuilder& plan, const Scattering& scattering, Target target) {
  const Tiling& tiling = scattering.tiling();
  const bool is_flat = tiling.domains().size() == 1;
  for (std::size_t domain = 0; !is_flat && domain < tiling.domains().size(); ++domain)
    if (tiling.domains()[domain].size() > 1) combine_domain(plan, tiling, domain);
  for (const Stripe& stripe : tiling.stripes())
    for (std::uint32_t tile = stripe.first; tile < stripe.first + stripe.count; ++tile) {
      std::vector<Region> operands;
      if (is_flat)
        for (Rank rank : tiling.domains().front()) operands.push_back(input(rank).tile(tile));
      // Of a rank that is alone in its domain, its input.
      for (std::size_t domain = 0; !is_flat && domain < tiling.domains().size(); ++domain) {
        const Rank rank = stripe.owners[domain];
        const bool is_lone = tiling.domains()[domain].size() == 1;
        operands.push_back((is_lone ? input(rank) : scratch(rank)).tile(tile));
      }
      const Rank owner = scattering.owner(tile);
      plan.reduce(owner, operands, {target(owner).tile(tile)});
    }
}

/// Each tile goes from its owner to one rank of each domain, and from there to the others.
/// `held(rank)` is where a rank has what it has; `root` has all of it.
template <class HeldValue>
void gather_tiles(PlanBuilder& plan, const Scattering& scattering, HeldValue held,
                  std::optional<Rank> root) {
  const auto& domains = scattering.domains();
  for (std::size_t domain = 0; domains.size() > 1 && domain < domains.size(); ++domain)
    for (Rank rank : domains[domain]) {
      const Stripe share = scattering.tiling().share_of(domain, rank);
      std::vector<Copy> copies;
      for (std::uint32_t tile = share.first; tile < share.first + share.count; ++tile) {
        const Rank owner = scattering.owner(tile);
        if (owner != rank) copies.push_back({held(owner).tile(tile), output(rank).tile(tile)});
      }
      if (rank != root && !copies.empty()) plan.copy_each(rank, copies);
    }
  for (std::size_t domain = 0; domain < domains.size(); ++domain)
    for (Rank rank : domains[domain]) {
      std::vector<Copy> copies;
      for (Rank peer : others_from(domains[domain], rank)) {
        const Stripe share = scattering.tiling().share_of(domain, peer);
        if (share.count != 0)
          copies.push_back({stripe_of(held(peer), share), stripe_of(output(rank), share)});
      }
      if (rank != root && !copies.empty()) plan.copy_each(rank, copies);
    }
}

}  // namespace

Plan allreduce_scattered(const Shape& shape) {
  const Scattering scattering(shape.hierarchy);
  PlanBuilder plan("allreduce.scattered", shape.hierarchy.rank_count(), scattering.tiles());
  combine_tiles(plan, scattering, [](Rank owner) { return output(owner); });
  gather_tiles(
      plan, scattering, [](Rank rank) { return output(rank); }, std::nullopt);
  return std::move(plan).build();
}

Plan reduce_scattered(const Shape& shape) {
  const Scattering scattering(shape.hierarchy);
  PlanBuilder plan("reduce.scattered", shape.hierarchy.rank_count(), scattering.tiles());
  combine_tiles(plan, scattering, [&](Rank) { return output(shape.root); });
  return std::move(plan).build();
}

Plan bcast_scattered(const Shape& shape) {
  const Scattering scattering(shape.hierarchy);
  const Rank root = shape.root;
  PlanBuilder plan("bcast.scattered", shape.hierarchy.rank_count(), scattering.tiles());
  for (std::uint32_t tile = 0; tile < scattering.tiles(); ++tile) {
    const Rank owner = scattering.owner(tile);
    if (owner != root) plan.copy(owner, input(root).tile(tile), output(owner).tile(tile));
  }
  gather_tiles(
      plan, scattering, [&](Rank rank) { return rank == root ? input(root) : output(rank); }, root);
  return std::move(plan).build();
}

}  // namespace terrace
