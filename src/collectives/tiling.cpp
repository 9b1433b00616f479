// SPDX-License-Identifier: BSD-3-Clause
// Divides a vector among ranks. See tiling.hpp.
#include "collectives/tiling.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "collectives/domains.hpp"

namespace terrace {

Tiling::Tiling(const Hierarchy& hierarchy)
    : tile_count_(hierarchy.rank_count()), domains_(domains_of(hierarchy)) {
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
  TERRACE_ASSERT(!ranks.empty() && tile < tile_count_, domain, tile);
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

std::size_t Tiling::domain_of(Rank rank) const {
  const auto holds = [rank](const std::vector<Rank>& ranks) {
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
  };
  return static_cast<std::size_t>(std::find_if(domains_.begin(), domains_.end(), holds) -
                                  domains_.begin());
}

Hierarchy without_lone_ranks(const Hierarchy& hierarchy) {
  const auto is_lone = [](const Group& domain) { return domain.ranks.size() == 1; };
  const auto& domains = hierarchy.all.children;
  return std::all_of(domains.begin(), domains.end(), is_lone)
             ? flat_hierarchy(hierarchy.rank_count())
             : hierarchy;
}

void combine_domain(PlanBuilder& plan, const Tiling& tiling, std::size_t domain) {
  const std::vector<Rank>& members = tiling.domains()[domain];
  for (Rank rank : members) {
    const Stripe share = tiling.share_of(domain, rank);
    if (share.count == 0) continue;
    std::vector<Region> operands;
    for (Rank member : members) operands.push_back(stripe_of(input(member), share));
    plan.reduce(rank, operands, {stripe_of(scratch(rank), share)});
  }
}

void combine_domains(PlanBuilder& plan, const Tiling& tiling) {
  for (std::size_t domain = 0; domain < tiling.domains().size(); ++domain)
    combine_domain(plan, tiling, domain);
}

Region stripe_of(const Region& whole, const Stripe& stripe) {
  return whole.tiles(stripe.first, stripe.count);
}

std::vector<Region> partials(const Stripe& stripe) {
  std::vector<Region> result;
  for (Rank owner : stripe.owners) result.push_back(stripe_of(scratch(owner), stripe));
  return result;
}

std::vector<Region> operands_of(const Tiling& tiling, const Stripe& stripe) {
  if (tiling.domains().size() > 1) return partials(stripe);
  std::vector<Region> operands;
  for (Rank member : tiling.domains().front()) operands.push_back(stripe_of(input(member), stripe));
  return operands;
}

}  // namespace terrace
