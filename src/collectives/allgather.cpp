// SPDX-License-Identifier: BSD-3-Clause
// Allgather: every rank gets the blocks of all.
//
//     all_read   0 ⇄ 1 ⇄ 2 ⇄ 3       every rank reads the blocks of all others, in one step
//
//     staged     domain A   0 ⇄ 1 ⇄ 2    first 0 reads 3's block and 1 reads 4's; then each rank
//                domain B   3 ⇄ 4        reads, from every member of its own domain, all
//                                        blocks that this member has
//
//     push       0 ─> 1 2 3              every rank stores its block to all outputs
//
// Traffic for blocks of n bytes, p ranks: p - 1 blocks read and p written by each, of push one read
// and p written. All-read and push take a block across a domain boundary once per rank beyond it,
// staged once per domain.
// Order: nothing is combined.
#include <algorithm>

#include "collectives/collectives.hpp"
#include "collectives/domains.hpp"

namespace terrace {

namespace {

using Domains = std::vector<std::vector<Rank>>;

/// The ranks of other domains whose blocks each member of `domain` reads for it, by the member's
/// rank. Domains of equal size pair their members off.
std::vector<std::vector<Rank>> shares_in(const Domains& domains, const std::vector<Rank>& domain) {
  std::vector<std::vector<Rank>> shares(*std::max_element(domain.begin(), domain.end()) + 1);
  for (const std::vector<Rank>& other : domains)
    for (std::size_t i = 0; &other != &domain && i < other.size(); ++i)
      shares[domain[i % domain.size()]].push_back(other[i]);
  return shares;
}

void read_other_domains(PlanBuilder& plan, const Domains& domains,
                        const std::vector<Rank>& domain) {
  const std::vector<std::vector<Rank>> shares = shares_in(domains, domain);
  for (Rank rank : domain) {
    std::vector<Copy> copies;
    for (Rank peer : shares[rank]) copies.push_back({input(peer, peer), output(rank, peer)});
    plan.copy_each(rank, copies);
  }
}

void read_own_domain(PlanBuilder& plan, const Domains& domains, const std::vector<Rank>& domain) {
  const std::vector<std::vector<Rank>> shares = shares_in(domains, domain);
  for (Rank rank : domain) {
    std::vector<Copy> copies;
    for (Rank peer : others_from(domain, rank)) {
      copies.push_back({input(peer, peer), output(rank, peer)});
      for (Rank other : shares[peer]) copies.push_back({output(peer, other), output(rank, other)});
    }
    plan.copy_each(rank, copies);
  }
}

}  // namespace

Plan allgather_all_read(const Shape& shape) {
  PlanBuilder plan("allgather.all_read", shape.hierarchy.rank_count());
  keep_own_blocks(plan, shape.hierarchy.all.ranks);
  const Domains one = {shape.hierarchy.all.ranks};
  read_own_domain(plan, one, one.front());
  return std::move(plan).build();
}

Plan allgather_push(const Shape& shape) {
  PlanBuilder plan("allgather.push", shape.hierarchy.rank_count());
  const std::vector<Rank>& ranks = shape.hierarchy.all.ranks;
  for (Rank rank : ranks) {
    std::vector<Region> targets = {output(rank, rank)};
    for (Rank peer : others_from(ranks, rank)) targets.push_back(output(peer, rank));
    plan.reduce(rank, {input(rank, rank)}, targets);
  }
  return std::move(plan).build();
}

Plan allgather_staged(const Shape& shape) {
  PlanBuilder plan("allgather.staged", shape.hierarchy.rank_count());
  const Domains domains = domains_of(shape.hierarchy);
  for (const std::vector<Rank>& domain : domains) read_other_domains(plan, domains, domain);
  keep_own_blocks(plan, shape.hierarchy.all.ranks);
  for (const std::vector<Rank>& domain : domains) read_own_domain(plan, domains, domain);
  return std::move(plan).build();
}

}  // namespace terrace
