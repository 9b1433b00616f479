// SPDX-License-Identifier: BSD-3-Clause
// Cutting a vector among ranks. See tiling.hpp.
#include "collectives/tiling.hpp"

namespace terrace {

Tiling::Tiling(const Hierarchy& hierarchy) : tile_count_(hierarchy.rank_count()) {
  for (const Group& child : hierarchy.all.children) domains_.push_back(child.ranks);
  if (domains_.empty()) domains_.push_back(hierarchy.all.ranks);
  for (std::uint32_t tile = 0; tile < tile_count_; ++tile) {
    std::vector<Rank> owners;
    for (std::size_t domain = 0; domain < domains_.size(); ++domain)
      owners.push_back(owner(domain, tile));
    if (!stripes_.empty() && stripes_.back().owners == owners)
      ++stripes_.back().count;
    else
      stripes_.push_back({tile, 1, std::move(owners)});
  }
}

Rank Tiling::owner(std::size_t domain, std::uint32_t tile) const {
  const std::vector<Rank>& ranks = domains_[domain];
  return ranks[std::size_t{tile} * ranks.size() / tile_count_];
}

Stripe Tiling::share_of(std::size_t domain, Rank rank) const {
  Stripe share;
  for (const Stripe& stripe : stripes_) {
    if (stripe.owners[domain] != rank) continue;
    if (share.count == 0) share.first = stripe.first;
    share.count += stripe.count;
  }
  return share;
}

void combine_domains(PlanBuilder& plan, const Tiling& tiling) {
  for (std::size_t domain = 0; domain < tiling.domains().size(); ++domain)
    for (Rank rank : tiling.domains()[domain]) {
      const Stripe share = tiling.share_of(domain, rank);
      if (share.count == 0) continue;
      std::vector<Region> operands;
      for (Rank member : tiling.domains()[domain])
        operands.push_back(input(member).tiles(share.first, share.count));
      plan.reduce(rank, operands, {scratch(rank).tiles(share.first, share.count)});
    }
}

std::vector<Region> partials(const Stripe& stripe) {
  std::vector<Region> result;
  for (Rank owner : stripe.owners)
    result.push_back(scratch(owner).tiles(stripe.first, stripe.count));
  return result;
}

}  // namespace terrace
