// SPDX-License-Identifier: BSD-3-Clause
// Graphs, and collectives among neighbours.
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/threadranks/ranks.hpp"

using terrace::testing_ranks::run_ranks;

namespace {

int kind_of(MPI_Comm comm) {
  int kind = 0;
  MPI_Topo_test(comm, &kind);
  return kind;
}

}  // namespace

// Goal: what goes up comes from below, also where both neighbours of a ring are the same rank.
TEST(Topologies, rings_of_one_two_and_three_exchange_with_both_sides) {
  for (const int ranks : {1, 2, 3})
    run_ranks(ranks, [&](int rank) {
      const int periodic = 1;
      MPI_Comm ring;
      MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
      const int sent[] = {10 * rank, 10 * rank + 1};
      int got[2] = {-1, -1};
      const int below = (rank + ranks - 1) % ranks, above = (rank + 1) % ranks;
      for (int round = 0; round < 2; ++round) {
        MPI_Neighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, ring);
        EXPECT_EQ(got[0], 10 * below + 1);
        EXPECT_EQ(got[1], 10 * above);
      }
      MPI_Comm_free(&ring);
    });
}

// Goal: an end of a grid that is no ring has a block, and no neighbour to fill it.
TEST(Topologies, blocks_of_nobody_stay_as_they_are) {
  run_ranks(3, [](int rank) {
    const int size = 3, periodic = 0;
    MPI_Comm line;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &line);
    int got[2] = {-1, -1};
    MPI_Request request;
    MPI_Ineighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, line, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(got[0], rank - 1);
    EXPECT_EQ(got[1], rank < 2 ? rank + 1 : -1);
    MPI_Comm_free(&line);
  });
}

// Goal: a graph that all know, its duplicate, and those who are not in it.
TEST(Topologies, graphs_tell_neighbours) {
  run_ranks(4, [](int rank) {
    const int ends[] = {2, 3, 4}, edges[] = {1, 2, 0, 0};
    MPI_Comm graph;
    MPI_Graph_create(MPI_COMM_WORLD, 3, ends, edges, 0, &graph);
    EXPECT_EQ(graph == MPI_COMM_NULL, rank == 3);
    if (graph == MPI_COMM_NULL) return;
    MPI_Comm copy;
    MPI_Comm_dup(graph, &copy);
    EXPECT_EQ(kind_of(copy), MPI_GRAPH);
    int nodes = 0, edge_count = 0, neighbours[2] = {}, count = 0;
    MPI_Graphdims_get(copy, &nodes, &edge_count);
    EXPECT_EQ(nodes, 3);
    EXPECT_EQ(edge_count, 4);
    MPI_Graph_neighbors_count(copy, 0, &count);
    MPI_Graph_neighbors(copy, 0, 2, neighbours);
    EXPECT_EQ(count, 2);
    EXPECT_EQ(neighbours[1], 2);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&graph);
  });
}

// Goal: edges that any rank tells of reach both of their ends; blocks of lengths of their own go
// along them, as often as a persistent request is started.
TEST(Topologies, distributed_graphs_carry_blocks) {
  run_ranks(3, [](int rank) {
    // Rank 0 gives all edges: from all ranks to rank 0, and from rank 0 to rank 2.
    const int sources[] = {0, 1, 2, 0}, degrees[] = {1, 1, 1, 1}, targets[] = {0, 0, 0, 2};
    const int weights[] = {5, 6, 7, 8};
    MPI_Comm graph;
    MPI_Dist_graph_create(MPI_COMM_WORLD, rank == 0 ? 4 : 0, sources, degrees, targets, weights,
                          MPI_INFO_NULL, 0, &graph);
    EXPECT_EQ(kind_of(graph), MPI_DIST_GRAPH);
    int in = 0, out = 0, is_weighted = 0;
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &is_weighted);
    EXPECT_EQ(in, rank == 0 ? 3 : rank == 2 ? 1 : 0);
    EXPECT_EQ(out, rank == 0 ? 2 : 1);
    int from[3] = {}, from_weights[3] = {}, to[2] = {}, to_weights[2] = {};
    MPI_Dist_graph_neighbors(graph, 3, from, from_weights, 2, to, to_weights);
    if (rank == 2) {
      EXPECT_EQ(from[0], 0);
      EXPECT_EQ(from_weights[0], 8);
    }
    const int out_counts[] = {rank + 1, 1}, out_places[] = {0, 0};
    const int in_counts[] = {1, rank == 0 ? 2 : 0, 3}, in_places[] = {0, 1, 3};
    const std::vector<int> sent(3, rank);
    std::vector<int> got(6, -1);
    MPI_Request request;
    MPI_Neighbor_alltoallv_init(sent.data(), out_counts, out_places, MPI_INT, got.data(), in_counts,
                                in_places, MPI_INT, graph, MPI_INFO_NULL, &request);
    for (int round = 0; round < 2; ++round) {
      std::fill(got.begin(), got.end(), -1);
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      const std::vector<int> wanted[] = {{0, 1, 1, 2, 2, 2}, {}, {0}};
      const std::vector<int>& mine = wanted[rank];
      EXPECT_TRUE(std::equal(mine.begin(), mine.end(), got.begin()));
    }
    MPI_Request_free(&request);
    MPI_Comm_free(&graph);
  });
}

// Goal: an edge is there as often as it is given, by whichever ranks, also one to oneself; those of
// one giver stay in order.
TEST(Topologies, distributed_graphs_gather_edges_of_all_givers) {
  constexpr int kRanks = 5;
  run_ranks(kRanks, [](int rank) {
    // Each rank g gives edges from rank 0 to all, from itself to itself twice, and from 4 to 1.
    const int sources[] = {0, rank, 4}, degrees[] = {kRanks, 2, 1};
    const int targets[] = {0, 1, 2, 3, 4, rank, rank, 1};
    const int weights[] = {10 * rank,     10 * rank + 1, 10 * rank + 2, 10 * rank + 3,
                           10 * rank + 4, 10 * rank + 5, 10 * rank + 6, 10 * rank + 7};
    MPI_Comm graph;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 3, sources, degrees, targets, weights, MPI_INFO_NULL, 0,
                          &graph);
    std::vector<std::pair<int, int>> wanted_in, wanted_out;  // rank and weight
    for (int giver = 0; giver < kRanks; ++giver) {
      const int first = 10 * giver;
      wanted_in.emplace_back(0, first + rank);
      for (int to = 0; rank == 0 && to < kRanks; ++to) wanted_out.emplace_back(to, first + to);
      for (const int weight : {first + 5, first + 6}) {
        if (giver != rank) continue;
        wanted_in.emplace_back(rank, weight);
        wanted_out.emplace_back(rank, weight);
      }
      if (rank == 1) wanted_in.emplace_back(4, first + 7);
      if (rank == 4) wanted_out.emplace_back(1, first + 7);
    }
    int in = 0, out = 0, is_weighted = 0;
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &is_weighted);
    ASSERT_EQ(in, static_cast<int>(wanted_in.size()));
    ASSERT_EQ(out, static_cast<int>(wanted_out.size()));
    std::vector<int> from(wanted_in.size()), from_weights(from), to(wanted_out.size()),
        to_weights(to);
    MPI_Dist_graph_neighbors(graph, in, from.data(), from_weights.data(), out, to.data(),
                             to_weights.data());
    for (std::size_t i = 0; i < from.size(); ++i)
      EXPECT_EQ(std::pair(from[i], from_weights[i]), wanted_in[i]);
    for (std::size_t i = 0; i < to.size(); ++i)
      EXPECT_EQ(std::pair(to[i], to_weights[i]), wanted_out[i]);
    MPI_Comm_free(&graph);
  });
}

// Goal: dimensions are as alike as the number of ranks lets them be.
TEST(Topologies, dimensions_are_alike) {
  run_ranks(1, [](int) {
    int two[] = {0, 0}, three[] = {0, 3, 0};
    MPI_Dims_create(72, 2, two);
    EXPECT_EQ(two[0], 9);
    EXPECT_EQ(two[1], 8);
    MPI_Dims_create(3 * 30, 3, three);
    EXPECT_EQ(three[0], 6);
    EXPECT_EQ(three[2], 5);
  });
}
