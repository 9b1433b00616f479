// SPDX-License-Identifier: BSD-3-Clause
// Allreduce by dissemination: in round i each rank adds what the rank 2^i places before it has.
//
//     domain A   0 1 2 3 (4 5)      4 and 5 are in excess of a power of two: 0 and 1 add their
//     domain B   6 7 8 9 (10 11)    inputs at first, and 4 and 5 copy the total at the end
//     rounds     1 <- 0, 2 <- 1, 3 <- 2, 0 <- 3;   then 2 <- 0, 3 <- 1, ...;   in B likewise
//                0 <- 6, 6 <- 0, 1 <- 7, ...       domains meet last
//     nodes      leaders alone send each other their values; all ranks of the node add what comes
//
// `dissemination` is the paper's (figures 5 and 6): ranks add up in different orders, so floating-
// point sums may differ in their last bits from rank to rank. In `doubling` ranks exchange with the
// one whose place differs in one bit (1 with 0, then 2 with 0, ...), and both add the lower's value
// to the higher's: as many rounds and reads, and the same bits on all ranks.
// Traffic for n bytes, p ranks: each reads and writes n in each of log2 p rounds.
// Order: as above; of `doubling`, places as a binary tree has them.
#include "collectives/allreduce_dissemination.hpp"

#include <algorithm>
#include <bit>

#include "base/contract.hpp"
#include "collectives/domains.hpp"

namespace terrace {

namespace {

std::uint32_t log2_of(std::size_t power) {
  TERRACE_ASSERT(std::has_single_bit(power), power);
  return static_cast<std::uint32_t>(std::countr_zero(power));
}

NodeDomains domains_of(const Group& node) {
  NodeDomains domains;
  for (const Group& child : node.children) domains.push_back(child.ranks);
  if (domains.empty()) domains.push_back(node.ranks);
  return domains;
}

Plan disseminate(const std::string& name, const Shape& shape, Partners partners) {
  PlanBuilder plan = begin_across_nodes(name, shape.hierarchy);
  std::vector<NodeDomains> nodes;
  for (const Group& node : node_groups(shape.hierarchy)) nodes.push_back(domains_of(node));
  Dissemination(plan, partners).run(nodes);
  return std::move(plan).build();
}

}  // namespace

std::uint32_t Dissemination::Core::rounds() const {
  return log2_of(domains.size()) + log2_of(domains.front().size());
}

Dissemination::Core Dissemination::core_of(const NodeDomains& domains) {
  const std::size_t count = std::bit_floor(domains.size());
  std::size_t size = domains.front().size();
  for (std::size_t d = 0; d < count; ++d) size = std::min(size, domains[d].size());
  size = std::bit_floor(size);
  Core core;
  for (std::size_t d = 0; d < count; ++d)
    core.domains.emplace_back(domains[d].begin(),
                              domains[d].begin() + static_cast<std::ptrdiff_t>(size));
  for (std::size_t d = 0; d < domains.size(); ++d)
    for (std::size_t i = 0; i < domains[d].size(); ++i)
      if (d >= count || i >= size)
        core.excess[core.domains[d % count][i % size]].push_back(domains[d][i]);
  return core;
}

void Dissemination::run(const std::vector<NodeDomains>& nodes) {
  std::vector<Core> cores;
  for (const NodeDomains& domains : nodes) cores.push_back(core_of(domains));
  count_rounds(cores);
  for (const Core& core : cores) take_in_excess(core);
  for (const Core& core : cores) meet_within_domains(core);
  for (const Core& core : cores) meet_across_domains(core);
  meet_across_nodes(cores);
  give_to_excess(cores);
}

void Dissemination::run_across(const std::vector<Region>& totals) {
  std::vector<Core> cores;
  for (const Region& total : totals) {
    cores.push_back(core_of({{total.rank}}));
    value_[total.rank] = total;
    blocks_[total.rank] = total.block + 1u;
  }
  count_rounds(cores);
  for (const Region& total : totals) --left_[total.rank];  // nothing is taken in
  meet_across_nodes(cores);
  give_to_excess(cores);
}

/// The last round's sum goes to the output. Of nodes in excess, none is the last.
void Dissemination::count_rounds(const std::vector<Core>& nodes) {
  const std::size_t core = std::bit_floor(nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const bool takes_in = n + core < nodes.size();
    const std::uint32_t across = n < core ? log2_of(core) + (takes_in ? 1 : 0) : 1;
    for (const std::vector<Rank>& domain : nodes[n].domains)
      for (Rank rank : domain) left_[rank] = 1 + nodes[n].rounds() + across;
  }
}

Region Dissemination::next(Rank rank) {
  TERRACE_ASSERT(left_[rank] != 0, rank);
  return --left_[rank] == 0 ? output(rank) : fresh(rank);
}

void Dissemination::take_in_excess(const Core& node) {
  for (const std::vector<Rank>& domain : node.domains)
    for (Rank rank : domain) {
      std::vector<Region> operands = {input(rank)};
      if (const auto others = node.excess.find(rank); others != node.excess.end())
        for (Rank other : others->second) operands.push_back(input(other));
      value_[rank] = next(rank);
      plan_.reduce(rank, operands, {value_[rank]});
    }
}

/// In which place the partner is whose value a rank reads.
std::size_t Dissemination::partner_of(std::size_t place, std::size_t step,
                                      std::size_t count) const {
  TERRACE_ASSERT(std::has_single_bit(count) && place < count && step < count, place, step, count);
  return partners_ == Partners::opposite ? place ^ step : (place + count - step) % count;
}

void Dissemination::combine(Rank rank, const Region& partners, bool partner_is_first) {
  const Region mine = value_[rank];
  value_[rank] = next(rank);
  if (partner_is_first)
    plan_.reduce(rank, {partners, mine}, {value_[rank]});
  else
    plan_.reduce(rank, {mine, partners}, {value_[rank]});
}

void Dissemination::meet_within_domains(const Core& node) {
  const std::size_t size = node.domains.front().size();
  for (std::size_t step = 1; step < size; step *= 2) {
    const std::map<Rank, Region> before = value_;
    for (const std::vector<Rank>& domain : node.domains)
      for (std::size_t i = 0; i < size; ++i) {
        const std::size_t partner = partner_of(i, step, size);
        combine(domain[i], before.at(domain[partner]), partner < i);
      }
  }
}

void Dissemination::meet_across_domains(const Core& node) {
  const std::size_t count = node.domains.size();
  for (std::size_t step = 1; step < count; step *= 2) {
    const std::map<Rank, Region> before = value_;
    for (std::size_t d = 0; d < count; ++d) {
      const std::size_t partner = partner_of(d, step, count);
      for (std::size_t i = 0; i < node.domains[d].size(); ++i)
        combine(node.domains[d][i], before.at(node.domains[partner][i]), partner < d);
    }
  }
}

void Dissemination::combine_at_all(const Core& node, const Region& value, bool value_is_first) {
  for (const std::vector<Rank>& domain : node.domains)
    for (Rank rank : domain) combine(rank, value, value_is_first);
}

/// One rank of a node sends and receives, all ranks of the node add.
void Dissemination::meet_across_nodes(const std::vector<Core>& nodes) {
  const std::size_t core = std::bit_floor(nodes.size());
  take_in_excess_nodes(nodes, core);
  for (std::size_t step = 1; step < core; step *= 2) {
    std::vector<Message> messages;
    for (std::size_t n = 0; n < core; ++n) {
      const Rank from = nodes[partner_of(n, step, core)].leader(), to = nodes[n].leader();
      messages.push_back({{value_[from], fresh(to)}});
    }
    plan_.send_all(messages);
    for (std::size_t n = 0; n < core; ++n)
      combine_at_all(nodes[n], messages[n].front().to, partner_of(n, step, core) < n);
  }
}

void Dissemination::take_in_excess_nodes(const std::vector<Core>& nodes, std::size_t core) {
  for (std::size_t n = core; n < nodes.size(); ++n) {
    const Rank leader = nodes[n - core].leader();
    const Region arrived = fresh(leader);
    plan_.send(value_[nodes[n].leader()], arrived);
    combine_at_all(nodes[n - core], arrived, false);
  }
}

void Dissemination::give_to_excess(const std::vector<Core>& nodes) {
  const std::size_t core = std::bit_floor(nodes.size());
  for (std::size_t n = core; n < nodes.size(); ++n) {
    const Rank leader = nodes[n].leader();
    plan_.send(output(nodes[n - core].leader()), output(leader));
    for (const std::vector<Rank>& domain : nodes[n].domains)
      for (Rank rank : domain)
        if (rank != leader) plan_.copy(rank, output(leader), output(rank));
  }
  for (const Core& node : nodes)
    for (const auto& [rank, others] : node.excess)
      for (Rank other : others) plan_.copy(other, output(rank), output(other));
}

Plan allreduce_dissemination(const Shape& shape) {
  return disseminate("allreduce.dissemination", shape, Partners::behind);
}

Plan allreduce_doubling(const Shape& shape) {
  return disseminate("allreduce.doubling", shape, Partners::opposite);
}

}  // namespace terrace
