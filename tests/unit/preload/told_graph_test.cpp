// SPDX-License-Identifier: BSD-3-Clause
// Goal: ranks find the edges of a communicator's graph from what they tell of their neighbours, and
// ask the MPI only which of several blocks between two ranks is which.
#include "preload/setup/told_graph.hpp"

#include <gtest/gtest.h>

namespace terrace::preload {
namespace {

constexpr std::int32_t kNone = -1;  // MPI_PROC_NULL

using Told = std::vector<ToldNeighbours>;

std::string objection_to(const Told& ranks, bool is_grid = false) {
  return objection_to_graph(ranks, is_grid, 4);
}

/// Three ranks in a row: blocks to the left and to the right.
Told row_of_three() {
  return {{true, {kNone, 1}, {kNone, 1}}, {true, {0, 2}, {0, 2}}, {true, {1, kNone}, {1, kNone}}};
}

TEST(ToldGraph, has_the_edges_of_a_row) {
  const Told ranks = row_of_three();
  ASSERT_EQ(objection_to(ranks, true), "");
  const auto found = single_edges(ranks);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->most_given, 2u);
  const std::vector<BlockEdge> edges = {{1, 0, 0, 1}, {0, 1, 1, 0}, {2, 0, 1, 1}, {1, 1, 2, 0}};
  EXPECT_EQ(found->edges, edges);
}

TEST(ToldGraph, has_the_edges_of_one_way) {
  const Told ranks = {{true, {}, {1, 2}}, {true, {0}, {}}, {true, {2, 0}, {2}}};
  ASSERT_EQ(objection_to(ranks), "");
  const std::vector<BlockEdge> edges = {{0, 0, 1, 0}, {2, 0, 2, 0}, {0, 1, 2, 1}};
  EXPECT_EQ(single_edges(ranks)->edges, edges);
}

TEST(ToldGraph, asks_the_mpi_about_several_blocks_between_two_ranks) {
  const Told ring_of_two = {{true, {1, 1}, {1, 1}}, {true, {0, 0}, {0, 0}}};
  ASSERT_EQ(objection_to(ring_of_two), "");
  EXPECT_FALSE(single_edges(ring_of_two).has_value());
  // An MPI that exchanges them.
  const std::vector<std::vector<BlockName>> came = {{{1, 1}, {1, 0}}, {{0, 1}, {0, 0}}};
  const auto found = edges_of_blocks(ring_of_two, came);
  ASSERT_TRUE(found.has_value());
  const std::vector<BlockEdge> edges = {{1, 1, 0, 0}, {1, 0, 0, 1}, {0, 1, 1, 0}, {0, 0, 1, 1}};
  EXPECT_EQ(found->edges, edges);
}

TEST(ToldGraph, refuses_blocks_that_no_rank_has_given) {
  const Told ranks = {{true, {1}, {1}}, {true, {0}, {0}}};
  EXPECT_FALSE(edges_of_blocks(ranks, std::vector<std::vector<BlockName>>{{{1, 1}}, {{0, 0}}}));
  EXPECT_FALSE(edges_of_blocks(ranks, std::vector<std::vector<BlockName>>{{{2, 0}}, {{0, 0}}}));
}

TEST(ToldGraph, objects_where_ends_of_an_edge_differ) {
  EXPECT_NE(objection_to({{true, {}, {1}}, {true, {}, {}}}), "");
  EXPECT_NE(objection_to({{true, {1, 1}, {1}}, {true, {0}, {0}}}), "");
}

TEST(ToldGraph, objects_to_what_is_not_known_or_too_much) {
  EXPECT_EQ(objection_to({{true, {1}, {1}}, {}}), kGraphRefused);
  EXPECT_EQ(objection_to({{true, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}}}), kTooManyEdges);
  EXPECT_NE(objection_to(row_of_three(), false), "");  // MPI_PROC_NULL outside of a grid
}

TEST(ToldGraph, names_a_block_even_where_there_is_none) {
  EXPECT_EQ(named_blocks(3, 0).size(), 1u);
  EXPECT_EQ(named_blocks(3, 2)[1].rank, 3);
  EXPECT_EQ(named_blocks(3, 2)[1].number, 1);
}

}  // namespace
}  // namespace terrace::preload
