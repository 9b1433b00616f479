// SPDX-License-Identifier: BSD-3-Clause
// Goals and methods:
// - Plans of neighbourhood collectives are right for any graph: random ones, with edges that are
//   there several times, edges to oneself and blocks without an edge, are proved, with their
//   contracts; and all their ranks start alone.
// - The proof sees faults: each wait that a rank cannot do without is taken out, and an edge's
// block
//   is taken for another.
// - Edges are matched in the order of both lists: compared with edges that were dealt out, and
//   graphs of which an edge is left out at one of its ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "collectives/neighbours.hpp"
#include "unit/seeds.hpp"
#include "verify/verify.hpp"

namespace terrace {
namespace {

using testing::HasSubstr;
using Random = std::mt19937_64;

constexpr Collective kBoth[] = {Collective::neighbour_allgather, Collective::neighbour_alltoall};

std::uint32_t below(Random& random, std::uint32_t end) {
  return static_cast<std::uint32_t>(random() % end);
}

struct DealtGraph {
  std::vector<EdgesOfRank> ranks;
  std::vector<BlockEdge> edges;  ///< in the order of takers, then of their blocks
};

/// Adds blocks one after the other at either end, so edges of one label are in order.
DealtGraph deal_graph(Random& random, Rank ranks) {
  DealtGraph graph;
  graph.ranks.resize(ranks);
  for (std::uint32_t left = below(random, 3 * ranks + 2); left > 0; --left) {
    const Rank giver = below(random, ranks), taker = below(random, ranks);
    auto &targets = graph.ranks[giver].targets, &sources = graph.ranks[taker].sources;
    if (below(random, 6) == 0) targets.emplace_back();
    if (below(random, 6) == 0) sources.emplace_back();
    graph.edges.push_back({giver, static_cast<std::uint16_t>(targets.size()), taker,
                           static_cast<std::uint16_t>(sources.size())});
    const std::uint32_t label = below(random, 2);
    targets.push_back({taker, label});
    sources.push_back({giver, label});
  }
  std::sort(graph.edges.begin(), graph.edges.end(), [](const BlockEdge& a, const BlockEdge& b) {
    return std::pair(a.taker, a.taken) < std::pair(b.taker, b.taken);
  });
  return graph;
}

Plan lowered(Collective collective, Rank ranks, std::span<const BlockEdge> edges) {
  Result<Plan> plan = lower_neighbours(neighbours_pull(collective, ranks, edges));
  EXPECT_TRUE(plan) << plan.error().sentence;
  return std::move(plan).value();
}

std::string fault_of(Collective collective, const Plan& plan, std::span<const BlockEdge> edges) {
  const auto proof = verify(plan, postcondition(collective, plan.ranks, edges));
  return proof ? "none" : proof.error().sentence;
}

TEST(Neighbours, have_plans_that_are_proved_for_any_graph) {
  for_seeds(120, [](std::uint64_t seed) {
    Random random(seed);
    const Rank ranks = 1 + static_cast<Rank>(seed % 6);
    const DealtGraph graph = deal_graph(random, ranks);
    const auto edges = edges_of(graph.ranks);
    ASSERT_TRUE(edges) << seed << ": " << edges.error().sentence;
    EXPECT_EQ(edges.value(), graph.edges) << seed;
    for (const Collective collective : kBoth) {
      const Plan plan = lowered(collective, ranks, graph.edges);
      const auto proof = verify(plan, postcondition(collective, ranks, graph.edges));
      ASSERT_TRUE(proof) << seed << ": " << proof.error().sentence;
      EXPECT_EQ(proof.value().starts_alone, std::vector<bool>(ranks, true)) << seed;
      const auto contracts = contracts_of(plan);
      EXPECT_TRUE(verify_contracts(plan, contracts)) << seed;
      EXPECT_TRUE(all_start_alone(plan)) << seed;
    }
  });
}

/// A ring of so many ranks, in which all blocks that go down have one label.
std::vector<EdgesOfRank> ring_of(Rank ranks) {
  constexpr std::uint32_t kDown = 0, kUp = 1;
  std::vector<EdgesOfRank> ring;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const Rank before = (rank + ranks - 1) % ranks, behind = (rank + 1) % ranks;
    ring.push_back({{{before, kUp}, {behind, kDown}}, {{before, kDown}, {behind, kUp}}});
  }
  return ring;
}

TEST(Neighbours, of_a_ring_of_two_get_what_comes_from_either_side) {
  const auto edges = edges_of(ring_of(2));
  ASSERT_TRUE(edges);
  const std::vector<BlockEdge> wanted = {{1, 1, 0, 0}, {1, 0, 0, 1}, {0, 1, 1, 0}, {0, 0, 1, 1}};
  EXPECT_EQ(edges.value(), wanted);
  EXPECT_EQ(to_text(neighbours_pull(Collective::neighbour_alltoall, 2, wanted)),
            "plan neighbour_alltoall.pull\nranks 2\ntiles 1\nin_place bounced\n"
            "0: copy out[0], out[0:1] = in[1:1], in[1]\n"
            "1: copy out[1], out[1:1] = in[0:1], in[0]\n");
}

TEST(Neighbours, need_each_wait_of_their_plans) {
  const auto edges = edges_of(ring_of(3));
  ASSERT_TRUE(edges);
  const Plan plan = lowered(Collective::neighbour_alltoall, 3, edges.value());
  ASSERT_EQ(fault_of(Collective::neighbour_alltoall, plan, edges.value()), "none");
  std::size_t mutants = 0;
  for (const auto part : {&Plan::body, &Plan::closing})
    for (std::size_t step = 0; step < (plan.*part).size(); ++step)
      for (std::size_t wait = 0; wait < (plan.*part)[step].waits.size(); ++wait, ++mutants) {
        Plan mutant = plan;
        auto& waits = (mutant.*part)[step].waits;
        waits.erase(waits.begin() + static_cast<std::ptrdiff_t>(wait));
        EXPECT_NE(fault_of(Collective::neighbour_alltoall, mutant, edges.value()), "none")
            << to_text((plan.*part)[step], plan) << ", wait " << wait;
      }
  EXPECT_GE(mutants, 12u);
}

TEST(Neighbours, that_take_another_block_are_found) {
  const auto edges = edges_of(ring_of(2));
  ASSERT_TRUE(edges);
  std::vector<BlockEdge> swapped = edges.value();
  std::swap(swapped[0].given, swapped[1].given);
  const Plan plan = lowered(Collective::neighbour_alltoall, 2, swapped);
  EXPECT_THAT(fault_of(Collective::neighbour_alltoall, plan, edges.value()),
              HasSubstr("out[0] of strip 0 ends up with in[1] instead of in[1:1]"));
  EXPECT_EQ(fault_of(Collective::neighbour_allgather,
                     lowered(Collective::neighbour_allgather, 2, swapped), edges.value()),
            "none");
}

TEST(Neighbours, that_disagree_are_named) {
  std::vector<EdgesOfRank> ring = ring_of(3);
  ring[2].targets.pop_back();
  EXPECT_THAT(edges_of(ring).error().sentence,
              HasSubstr("rank 2 does not know of an edge of the graph from rank 2 to rank 0"));
  ring = ring_of(3);
  ring[1].sources.pop_back();
  EXPECT_THAT(edges_of(ring).error().sentence,
              HasSubstr("rank 1 does not know of an edge of the graph from rank 2 to rank 1"));
  ring = ring_of(3);
  ring[1].targets.resize(70000);
  EXPECT_THAT(edges_of(ring).error().sentence,
              HasSubstr("rank 1 gives or takes more than 65535 blocks, one for each of its edges: "
                        "expected fewer"));
}

/// Pairs of ranks that know nothing of each other: nobody is told if their calls differ, and none
/// needs to be.
TEST(Neighbours, may_be_in_graphs_of_several_parts) {
  const std::vector<BlockEdge> edges = {{1, 0, 0, 0}, {3, 0, 2, 0}};
  const Plan plan = lowered(Collective::neighbour_alltoall, 4, edges);
  EXPECT_EQ(fault_of(Collective::neighbour_alltoall, plan, edges), "none");
}

}  // namespace
}  // namespace terrace
