// SPDX-License-Identifier: BSD-3-Clause
// Allgather: every rank gets everybody's block.
//
//     all_read   0 ⇄ 1 ⇄ 2 ⇄ 3       every rank reads the block of each other
//
//     staged     domain A   0 ⇄ 1 ⇄ 2    at first each reads its own domain's blocks, and 0 reads
//                domain B   3 ⇄ 4        those of 3, 1 those of 4; then 0 and 1 tell A's others
//
// Traffic for blocks of n bytes, p ranks: p - 1 blocks read and p written by each. All-read takes a
// block across a domain boundary once per rank beyond it, staged once per domain.
// Order: nothing is combined.
#include "collectives/collectives.hpp"
#include "collectives/domains.hpp"

namespace terrace {

namespace {

/// A rank's own block comes last: in place it is what peers read, and needs no copy.
void keep_own_blocks(PlanBuilder& plan, const std::vector<Rank>& ranks) {
  for (Rank rank : ranks) plan.copy(rank, input(rank, rank), output(rank, rank));
}

void read_each_other(PlanBuilder& plan, const std::vector<Rank>& domain) {
  for (Rank rank : domain)
    for (Rank peer : others_from(domain, rank))
      plan.copy(rank, input(peer, peer), output(rank, peer));
}

/// The member that reads the block of a rank of another domain. Domains of equal size pair their
/// members off.
Rank reader_of(const std::vector<Rank>& domain, std::size_t position) {
  return domain[position % domain.size()];
}

void read_other_domains(PlanBuilder& plan, const std::vector<std::vector<Rank>>& domains,
                        const std::vector<Rank>& domain) {
  for (const std::vector<Rank>& other : domains)
    for (std::size_t i = 0; &other != &domain && i < other.size(); ++i)
      plan.copy(reader_of(domain, i), input(other[i], other[i]),
                output(reader_of(domain, i), other[i]));
}

void tell_members(PlanBuilder& plan, const std::vector<std::vector<Rank>>& domains,
                  const std::vector<Rank>& domain) {
  for (const std::vector<Rank>& other : domains)
    for (std::size_t i = 0; &other != &domain && i < other.size(); ++i)
      for (Rank rank : others_from(domain, reader_of(domain, i)))
        plan.copy(rank, output(reader_of(domain, i), other[i]), output(rank, other[i]));
}

}  // namespace

Plan allgather_all_read(const Shape& shape) {
  PlanBuilder plan("allgather.all_read", shape.hierarchy.rank_count());
  read_each_other(plan, shape.hierarchy.all.ranks);
  keep_own_blocks(plan, shape.hierarchy.all.ranks);
  return std::move(plan).build();
}

Plan allgather_staged(const Shape& shape) {
  PlanBuilder plan("allgather.staged", shape.hierarchy.rank_count());
  const std::vector<std::vector<Rank>> domains = domains_of(shape.hierarchy);
  for (const std::vector<Rank>& domain : domains) read_other_domains(plan, domains, domain);
  for (const std::vector<Rank>& domain : domains) read_each_other(plan, domain);
  for (const std::vector<Rank>& domain : domains) tell_members(plan, domains, domain);
  keep_own_blocks(plan, shape.hierarchy.all.ranks);
  return std::move(plan).build();
}

}  // namespace terrace
