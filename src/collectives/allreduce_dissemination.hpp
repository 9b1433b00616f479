// SPDX-License-Identifier: BSD-3-Clause
// Rounds in which each rank exchanges with another one, until each has the total: within domains,
// across the domains of a node, across nodes.
#pragma once

#include <map>
#include <vector>

#include "collectives/nodes.hpp"

namespace terrace {

/// Whom a rank meets in a round.
enum class Partners : std::uint8_t {
  behind,    ///< takes from the rank 1, 2, 4, ... places before it: sums differ in their order
  opposite,  ///< exchanges with the rank whose number differs in one bit: the same sums on both
};

/// The ranks of a node, domain by domain.
using NodeDomains = std::vector<std::vector<Rank>>;

class Dissemination {
 public:
  Dissemination(PlanBuilder& plan, Partners partners) : plan_(plan), partners_(partners) {}

  /// Carries values from the inputs to the outputs of all ranks.
  void run(const std::vector<NodeDomains>& nodes);

  /// Runs among ranks on different nodes, each of which has its part in `totals`.
  void run_across(const std::vector<Region>& totals);

 private:
  /// The ranks of a node that take part: powers of two, both of domains and of ranks in each. The
  /// values of the other ranks are added to theirs first.
  struct Core {
    NodeDomains domains;
    std::map<Rank, std::vector<Rank>> excess;  ///< by whose side they wait
    Rank leader() const { return domains.front().front(); }
    std::uint32_t rounds() const;
  };

  static Core core_of(const NodeDomains& domains);
  void count_rounds(const std::vector<Core>& nodes);
  void take_in_excess(const Core& node);
  void meet_within_domains(const Core& node);
  void meet_across_domains(const Core& node);
  void meet_across_nodes(const std::vector<Core>& nodes);
  void take_in_excess_nodes(const std::vector<Core>& nodes, std::size_t core);
  void give_to_excess(const std::vector<Core>& nodes);
  std::size_t partner_of(std::size_t place, std::size_t step, std::size_t count) const;
  void combine(Rank rank, const Region& partners, bool partner_is_first);
  void combine_at_all(const Core& node, const Region& value, bool value_is_first);
  Region next(Rank rank);
  Region fresh(Rank rank) { return scratch(rank, blocks_[rank]++); }

  PlanBuilder& plan_;
  Partners partners_;
  std::map<Rank, Region> value_;          ///< of each core rank, so far
  std::map<Rank, std::uint32_t> left_;    ///< rounds that it has still to go
  std::map<Rank, std::uint32_t> blocks_;  ///< of its scratch that are in use
};

}  // namespace terrace
