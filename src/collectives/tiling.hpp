// SPDX-License-Identifier: BSD-3-Clause
// Tiling: which rank of each domain combines which tiles of a vector.
#pragma once

#include <vector>

#include "collectives/collectives.hpp"

namespace terrace {

/// A run of tiles, and who is in charge of it in each domain.
struct Stripe {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::vector<Rank> owners;  ///< one per domain, in order of the domains
};

/// Cuts a vector of one tile per rank among the ranks of each domain: the parts of the hierarchy's
/// top level, or all ranks where it has none. A domain of q ranks gives each about 1/q.
class Tiling {
 public:
  explicit Tiling(const Hierarchy& hierarchy);

  std::uint32_t tile_count() const { return tile_count_; }
  const std::vector<std::vector<Rank>>& domains() const { return domains_; }
  /// The vector as maximal runs whose owners are the same throughout.
  const std::vector<Stripe>& stripes() const { return stripes_; }
  /// The stripes in `rank`'s charge, joined: a rank's tiles are one run, perhaps empty.
  Stripe share_of(std::size_t domain, Rank rank) const;
  /// Index of the domain that `rank` belongs to.
  std::size_t domain_of(Rank rank) const;

 private:
  struct Place {
    std::size_t domain = 0, position = 0;
  };

  Rank owner(std::size_t domain, std::uint32_t tile) const;

  std::uint32_t tile_count_;
  std::vector<std::vector<Rank>> domains_;
  std::vector<Stripe> stripes_;
  std::vector<Place> places_;  ///< by rank
};

/// A hierarchy whose domains are single ranks, flat: a partial of one rank's input would be a copy
/// of it, which would have every rank read everything.
Hierarchy without_lone_ranks(const Hierarchy& hierarchy);

/// Every rank of a domain combines its share of its domain's inputs into its scratch.
void combine_domain(PlanBuilder& plan, const Tiling& tiling, std::size_t domain);

/// First half of the tiled algorithms: the same in every domain.
void combine_domains(PlanBuilder& plan, const Tiling& tiling);

/// The tiles of `whole` that a stripe covers.
Region stripe_of(const Region& whole, const Stripe& stripe);

/// The partial results of one stripe, one per domain.
std::vector<Region> partials(const Stripe& stripe);

/// Returns the operands of a stripe's total: the inputs of the only domain, or the partials of
/// several.
std::vector<Region> operands_of(const Tiling& tiling, const Stripe& stripe);

}  // namespace terrace
