// SPDX-License-Identifier: BSD-3-Clause
// Calls by plans with messages through endpoints, on two nodes of threads. Goals: results are right
// for all lengths, also where scratch takes a part of a vector at a time; calls of a node alone may
// come between; calls that are alike are repeated, and not taken for those of the node.
#include "engine/programs_over_nodes.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "collectives/collectives.hpp"
#include "engine/team_endpoint.hpp"
#include "unit/execute/network_in_memory.hpp"

namespace terrace {
namespace {

constexpr Rank kRanksOfBothNodes = 5;
const std::vector<Rank> kNodes[] = {{0, 2, 3}, {1, 4}};

Hierarchy hierarchy() {
  std::vector<Locality> localities(kRanksOfBothNodes);
  for (std::uint32_t node = 0; node < 2; ++node)
    for (const Rank rank : kNodes[node]) localities[rank].places = {{"node", node}, {"core", rank}};
  return hierarchy_of(localities);
}

Plan plan_of(const char* name) {
  return find_algorithm(name)->write({hierarchy(), 0, 2});
}

/// Each rank's endpoint on its node's memory, with its programs of a plan, in a thread of its own.
template <class Body>
void on_two_nodes(const Plan& plan, std::size_t planned_scratch, Body body) {
  sequences::NetworkInMemory network(kRanksOfBothNodes, 7);
  std::vector<std::unique_ptr<ThreadMemory>> memories;
  std::vector<std::unique_ptr<PlanCache>> caches;
  std::vector<std::thread> threads;
  for (const std::vector<Rank>& node : kNodes) {
    const auto ranks = static_cast<Rank>(node.size());
    memories.push_back(std::make_unique<ThreadMemory>(ranks, 65536));
    caches.push_back(std::make_unique<PlanCache>(flat_hierarchy(ranks)));
    for (const RankMemory& rank : memories.back()->memory().ranks) prepare(rank, 0);
    for (Rank place = 0; place < ranks; ++place)
      threads.emplace_back([&, place, ranks, &node = node, &memory = memories.back()->memory(),
                            &cache = *caches.back()] {
        const Rank rank = node[place];
        ProgramsOverNodes programs = programs_over_nodes(plan, rank, node).value();
        programs.scratch_bytes = planned_scratch;
        programs.messenger = &network.messenger_of(rank);
        WaitEnvironment wait_environment;
        EndpointOptions options;
        options.traits.ranks = ranks;
        options.waiting = WaitPolicy::for_ranks(kRanksOfBothNodes, 2);
        options.wait_environment = &wait_environment;
        TeamEndpoint endpoint(memory, place, cache, options);
        body(endpoint, programs, rank);
      });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(network.complaint(), "");
}

Elements sums_of(std::size_t count) {
  return {count, 8, find_reduction(Type::uint64, Operator::sum)};
}

TEST(ProgramsOverNodes, give_right_sums_of_any_length_between_calls_of_the_node) {
  for (const std::size_t scratch : {std::size_t{8192}, std::size_t{65536}})
    on_two_nodes(plan_of("allreduce.leaders"), scratch,
                 [](auto& endpoint, auto& programs, Rank rank) {
                   for (const std::size_t count : {1u, 14u, 15u, 300u, 20000u, 1u, 300u})
                     for (int again = 0; again < 4; ++again) {
                       const bool in_place = again % 2 == 1;
                       std::vector<std::uint64_t> in(count), out(count);
                       for (std::size_t i = 0; i < count; ++i) in[i] = (rank + 1) * (i + 1);
                       if (in_place) out = in;
                       ASSERT_TRUE(endpoint.run_over_nodes(programs, Collective::allreduce,
                                                           in_place ? out.data() : in.data(),
                                                           out.data(), sums_of(count), 0));
                       EXPECT_EQ(endpoint.last_plan(), "allreduce.leaders");
                       for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(out[i], 15 * (i + 1)) << i;
                       // The same on the node: another way.
                       ASSERT_TRUE(endpoint.allreduce(in.data(), out.data(), sums_of(count)));
                       EXPECT_NE(endpoint.last_plan(), "allreduce.leaders");
                       const std::uint64_t of_node = rank == 1 || rank == 4 ? 7 : 8;
                       for (std::size_t i = 0; i < count; ++i)
                         ASSERT_EQ(out[i], of_node * (i + 1)) << i;
                     }
                 });
}

TEST(ProgramsOverNodes, number_blocks_by_the_ranks_of_all_nodes) {
  on_two_nodes(plan_of("scatter.staged"), 65536, [](auto& endpoint, auto& programs, Rank rank) {
    for (const std::size_t bytes : {3u, 5000u}) {
      std::vector<std::uint8_t> all(bytes * kRanksOfBothNodes), own(bytes);
      for (Rank to = 0; rank == 0 && to < kRanksOfBothNodes; ++to)
        std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(to * bytes), bytes, 50 + to);
      auto* const block_0 =
          reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(own.data()) - rank * bytes);
      ASSERT_TRUE(
          endpoint.run_over_nodes(programs, Collective::scatter, all.data(), block_0, {bytes}, 0));
      EXPECT_EQ(own, std::vector<std::uint8_t>(bytes, static_cast<std::uint8_t>(50 + rank)));
    }
  });
}

TEST(ProgramsOverNodes, are_of_ranks_that_share_memory_in_the_plan) {
  EXPECT_TRUE(programs_over_nodes(plan_of("allreduce.leaders"), 1, kNodes[1]));
  const Plan plan = plan_of("allreduce.leaders");
  EXPECT_EQ(programs_over_nodes(plan, 4, kNodes[1]).value().owner.rank, 1u);
  EXPECT_EQ(programs_over_nodes(plan, 4, kNodes[1]).value().owner.ranks, 2u);
}

}  // namespace
}  // namespace terrace
