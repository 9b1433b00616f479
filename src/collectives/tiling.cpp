// SPDX-License-Identifier: BSD-3-Clause
// Divides a vector among ranks. See tiling.hpp.
#include "collectives/tiling.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "collectives/domains.hpp"

namespace terrace {

Tiling::Tiling(const Hierarchy& hierarchy)
    : tile_count_(hierarchy.rank_count()),
      domains_(domains_of(hierarchy)),
      places_(hierarchy.rank_count()) {
  for (std::size_t domain = 0; domain < domains_.size(); ++domain)
    for (std::size_t position = 0; position < domains_[domain].size(); ++position)
      places_[domains_[domain][position]] = {domain, position};
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
  if (places_[rank].domain != domain) return share;
  // Those tiles whose `owner` it is.
  const std::size_t position = places_[rank].position, size = domains_[domain].size();
  const auto first_of = [&](std::size_t place) {
    return static_cast<std::uint32_t>((place * tile_count_ + size - 1) / size);
  };
  const std::uint32_t first = first_of(position), count = first_of(position + 1) - first;
  if (count != 0) share.first = first;
  share.count = count;
  return share;
}

std::size_t Tiling::domain_of(Rank rank) const {
  return places_[rank].domain;
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
