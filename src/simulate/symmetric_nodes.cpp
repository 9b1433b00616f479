// SPDX-License-Identifier: BSD-3-Clause
// Allreduce across many nodes that behave alike, of which one is simulated.
//
//     leaders   0 ─┬─ 0 combines ─┬─ round 1 ─┬─ round 2 ─ ... ─┬─ 0     all of the vector
//               1 ─┘              │           │                 └─ 1
//               2 ─┬─ 2 combines ─┴───────────┴───────── ... ─┬─ 2
//               3 ─┘                                          └─ 3
//     lanes     0 and 1 combine a tile each; in each round 0 meets 2 and 1 meets 3, and in the end
//               each copies the other's tile
//     flat      0 <=> 1, 2 <=> 3;  then in each round 0 <=> 2, 1 <=> 3, with whole vectors
//
// Each round has its own scratch for the incoming value and for the partial sum.
// Traffic for n bytes, N nodes of p ranks: log2 N messages a node of n by leaders, p log2 N of n/p
// by lanes, p log2 N of n flat.
// Order: a node's ranks in rank order; across nodes a rank's own sum first.
#include "simulate/symmetric_nodes.hpp"

#include <algorithm>
#include <bit>

#include "base/contract.hpp"

namespace terrace::simulate {

namespace {

/// Scratch blocks of a round.
std::uint32_t partial_of(std::uint32_t round) {
  return 2 * round;
}
std::uint32_t arrived_in(std::uint32_t round) {
  return 2 * round + 1;
}

std::uint32_t log2_of(std::uint32_t power) {
  TERRACE_ASSERT(std::has_single_bit(power), power);
  return static_cast<std::uint32_t>(std::countr_zero(power));
}

/// Writes the plan for `nodes` nodes; there are more if they exchange in more rounds.
class Writer {
 public:
  Writer(SymmetricExchange by, Rank ranks_per_node, std::uint32_t nodes, std::uint32_t rounds)
      : by_(by),
        each_(ranks_per_node),
        nodes_(nodes),
        rounds_(rounds),
        plan_("allreduce.symmetric", nodes * ranks_per_node, is_tiled() ? ranks_per_node : 1,
              nodes_of_ranks()) {}

  Plan write() && {
    const std::uint32_t before = is_flat() ? meet_on_nodes() : combine_on_nodes();
    for (std::uint32_t round = 0; round < rounds_; ++round) meet_across(round, before + round);
    hand_out(before + rounds_);
    return std::move(plan_).build();
  }

 private:
  bool is_flat() const { return by_ == SymmetricExchange::flat; }
  bool is_tiled() const { return by_ == SymmetricExchange::lanes && each_ > 1; }
  /// The ranks of a node that exchange with other nodes are its first ones.
  Rank exchanging() const { return by_ == SymmetricExchange::leaders ? 1 : each_; }

  std::vector<std::uint32_t> nodes_of_ranks() const {
    std::vector<std::uint32_t> nodes;
    for (Rank rank = 0; rank < nodes_ * each_; ++rank) nodes.push_back(rank / each_);
    return nodes;
  }

  /// Returns the part of a vector that the rank at `place` of its node exchanges.
  Region share(Region vector, Rank place) const { return is_tiled() ? vector.tile(place) : vector; }

  /// The block of the partial sums.
  std::uint32_t combine_on_nodes() {
    for (Rank first = 0; first < nodes_ * each_; first += each_)
      for (Rank place = 0; place < exchanging(); ++place) {
        std::vector<Region> inputs;
        for (Rank i = 0; i < each_; ++i) inputs.push_back(share(input(first + i), place));
        const Rank owner = first + place;
        plan_.reduce(owner, inputs, {share(scratch(owner, partial_of(0)), place)});
      }
    return 0;
  }

  std::uint32_t meet_on_nodes() {
    const std::uint32_t rounds = log2_of(each_);
    const auto sum_of = [](Rank rank, std::uint32_t round) {
      return round == 0 ? input(rank) : scratch(rank, partial_of(round));
    };
    for (std::uint32_t round = 0; round < rounds; ++round)
      for (Rank rank = 0; rank < nodes_ * each_; ++rank) {
        const Rank other = rank ^ (Rank{1} << round);
        plan_.reduce(rank,
                     {sum_of(std::min(rank, other), round), sum_of(std::max(rank, other), round)},
                     {scratch(rank, partial_of(round + 1))});
      }
    if (rounds == 0)
      for (Rank rank = 0; rank < nodes_; ++rank)
        plan_.copy(rank, input(rank), scratch(rank, partial_of(0)));
    return rounds;
  }

  void meet_across(std::uint32_t round, std::uint32_t block) {
    const std::uint32_t bit = nodes_ == 2 ? 1 : 1u << round;
    std::vector<Message> messages;
    for (std::uint32_t node = 0; node < nodes_; ++node)
      for (Rank place = 0; place < exchanging(); ++place) {
        const Rank from = node * each_ + place, to = (node ^ bit) * each_ + place;
        messages.push_back({{share(scratch(from, partial_of(block)), place),
                             share(scratch(to, arrived_in(block)), place)}});
      }
    plan_.send_all(messages);
    for (std::uint32_t node = 0; node < nodes_; ++node)
      for (Rank place = 0; place < exchanging(); ++place) {
        const Rank rank = node * each_ + place;
        const auto part = [&](std::uint32_t number) { return share(scratch(rank, number), place); };
        plan_.reduce(rank, {part(partial_of(block)), part(arrived_in(block))},
                     {part(partial_of(block + 1))});
      }
  }

  void hand_out(std::uint32_t block) {
    for (Rank rank = 0; rank < nodes_ * each_; ++rank) {
      const Rank first = rank / each_ * each_;
      std::vector<Copy> copies;
      for (Rank i = 0; i < (is_tiled() ? each_ : 1); ++i) {
        // Each begins with its own, so that they do not all read from one.
        const Rank place = is_tiled() ? (rank + i) % each_ : 0;
        const Rank owner = is_flat() ? rank : first + place;
        copies.push_back(
            {share(scratch(owner, partial_of(block)), place), share(output(rank), place)});
      }
      plan_.copy_each(rank, copies);
    }
  }

  SymmetricExchange by_;
  Rank each_;
  std::uint32_t nodes_, rounds_;
  PlanBuilder plan_;
};

}  // namespace

Plan allreduce_of_symmetric_nodes(SymmetricExchange by, Rank ranks_per_node, std::uint32_t nodes) {
  return Writer(by, ranks_per_node, nodes, log2_of(nodes)).write();
}

Plan exchange_of_symmetric_nodes(SymmetricExchange by, Rank ranks_per_node, std::uint32_t rounds) {
  return Writer(by, ranks_per_node, 2, rounds).write();
}

SimulationOutcome standing_for(std::uint32_t nodes, SimulationOutcome two) {
  const std::uint64_t pairs = nodes / 2;
  two.steps *= pairs;
  two.messages *= pairs;
  two.signal_lines *= pairs;
  two.network_bytes *= static_cast<double>(pairs);
  for (double& bytes : two.bytes_from) bytes *= static_cast<double>(pairs);
  two.nodes = nodes;
  return two;
}

}  // namespace terrace::simulate
