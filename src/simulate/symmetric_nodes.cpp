// SPDX-License-Identifier: BSD-3-Clause
// Allreduce across many nodes that behave alike, of which one is simulated.
//
//     node 0   0 ─┬─ combines ──┬─ round 1 ─┬─ round 2 ─ ... ─┬─ 0
//              1 ─┘             │           │                 └─ 1
//     node 1   2 ─┬─ combines ──┴───────────┴───────── ... ─┬─ 2
//              3 ─┘                                         └─ 3
//
// Each round has its own scratch for the incoming value and for the partial sum. Order: none, see
// the header.
#include "simulate/symmetric_nodes.hpp"

namespace terrace::simulate {

namespace {

/// Scratch blocks of a round.
std::uint32_t partial_of(std::uint32_t round) {
  return 2 * round;
}
std::uint32_t arrived_in(std::uint32_t round) {
  return 2 * round + 1;
}

}  // namespace

Plan exchange_of_symmetric_nodes(Rank ranks_per_node, std::uint32_t rounds) {
  std::vector<std::uint32_t> nodes(2 * ranks_per_node, 0);
  for (Rank rank = ranks_per_node; rank < 2 * ranks_per_node; ++rank) nodes[rank] = 1;
  PlanBuilder plan("allreduce.symmetric", 2 * ranks_per_node, 1, nodes);
  const Rank firsts[2] = {0, ranks_per_node};
  for (const Rank first : firsts) {
    std::vector<Region> inputs;
    for (Rank i = 0; i < ranks_per_node; ++i) inputs.push_back(input(first + i));
    plan.reduce(first, inputs, {scratch(first, partial_of(0))});
  }
  for (std::uint32_t round = 0; round < rounds; ++round) {
    std::vector<Message> messages;
    for (int i : {0, 1})
      messages.push_back(
          {{scratch(firsts[i], partial_of(round)), scratch(firsts[1 - i], arrived_in(round))}});
    plan.send_all(messages);
    for (const Rank first : firsts)
      plan.reduce(first, {scratch(first, partial_of(round)), scratch(first, arrived_in(round))},
                  {scratch(first, partial_of(round + 1))});
  }
  for (const Rank first : firsts)
    for (Rank i = 0; i < ranks_per_node; ++i)
      plan.copy(first + i, scratch(first, partial_of(rounds)), output(first + i));
  return std::move(plan).build();
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
