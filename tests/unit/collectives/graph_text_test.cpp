// SPDX-License-Identifier: BSD-3-Clause
// Goals and methods:
// - Grids are MPI_Cart_create's: neighbours are compared with coordinates that are counted up, in
//   grids of one to three dimensions, periodic or not; and a small one with what is written here.
// - In a dimension of two ranks, or of one, blocks that move up arrive from below.
// - Lists of edges give blocks in the order of their lines; comments and empty lines are none.
// - Whatever cannot be a graph is refused in a sentence that says where, and what was expected.
// - Plans that can be named have the names of those that are written.
#include "collectives/graph_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace terrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Rank kMostRanks = 100;

/// The ranks at the other ends; -1: a block without an edge.
std::vector<int> peers_of(const std::vector<EdgeEnd>& ends) {
  std::vector<int> peers;
  for (const EdgeEnd& end : ends) peers.push_back(end.peer ? static_cast<int>(*end.peer) : -1);
  return peers;
}

std::vector<EdgesOfRank> grid(const std::string& text) {
  auto graph = grid_from_text(text, kMostRanks);
  EXPECT_TRUE(graph) << text << ": " << graph.error().sentence;
  return std::move(graph).value();
}

std::vector<EdgesOfRank> listed(const std::string& text) {
  auto graph = graph_from_lines(text, kMostRanks);
  EXPECT_TRUE(graph) << text << ": " << graph.error().sentence;
  return std::move(graph).value();
}

TEST(Graphs, of_grids_have_neighbours_below_and_above_in_each_dimension) {
  const std::vector<EdgesOfRank> graph = grid("grid:4x3");
  ASSERT_EQ(graph.size(), 12u);
  EXPECT_THAT(peers_of(graph[0].targets), ElementsAre(-1, 3, -1, 1));
  EXPECT_THAT(peers_of(graph[4].targets), ElementsAre(1, 7, 3, 5));
  EXPECT_THAT(peers_of(graph[4].sources), ElementsAre(1, 7, 3, 5));
  EXPECT_THAT(peers_of(graph[11].sources), ElementsAre(8, -1, 10, -1));
  EXPECT_THAT(peers_of(grid("torus:4x3")[0].targets), ElementsAre(9, 3, 2, 1));
  EXPECT_THAT(peers_of(grid("ring:5")[0].sources), ElementsAre(4, 1));
}

/// Ranks by their coordinates, of which the last counts fastest.
int rank_at(const std::vector<int>& place, const std::vector<Rank>& extents, bool is_periodic) {
  int rank = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const int extent = static_cast<int>(extents[i]);
    if (!is_periodic && (place[i] < 0 || place[i] >= extent)) return -1;
    rank = rank * extent + (place[i] + extent) % extent;
  }
  return rank;
}

TEST(Graphs, of_grids_are_those_of_coordinates) {
  for (const std::vector<Rank>& extents :
       {std::vector<Rank>{6}, {1}, {2, 3}, {3, 1, 2}, {2, 2, 2}, {3, 4, 2}})
    for (const bool is_periodic : {false, true}) {
      const std::vector<EdgesOfRank> graph = cartesian_graph(extents, is_periodic);
      std::vector<int> place(extents.size(), 0);
      for (Rank rank = 0; rank < graph.size(); ++rank) {
        std::vector<int> wanted;
        for (std::size_t i = 0; i < extents.size(); ++i)
          for (const int step : {-1, 1}) {
            place[i] += step;
            wanted.push_back(rank_at(place, extents, is_periodic));
            place[i] -= step;
          }
        EXPECT_EQ(peers_of(graph[rank].targets), wanted) << rank;
        EXPECT_EQ(peers_of(graph[rank].sources), wanted) << rank;
        for (std::size_t i = extents.size(); i-- > 0;) {
          if (++place[i] < static_cast<int>(extents[i])) break;
          place[i] = 0;
        }
      }
      EXPECT_TRUE(edges_of(graph));
    }
}

TEST(Graphs, of_grids_get_from_below_what_moves_up) {
  const std::vector<BlockEdge> two = {{1, 1, 0, 0}, {1, 0, 0, 1}, {0, 1, 1, 0}, {0, 0, 1, 1}};
  EXPECT_EQ(edges_of(grid("ring:2")).value(), two);
  const std::vector<BlockEdge> one = {{0, 1, 0, 0}, {0, 0, 0, 1}};
  EXPECT_EQ(edges_of(grid("torus:1")).value(), one);
}

TEST(Graphs, in_lists_give_blocks_in_the_order_of_their_lines) {
  const std::string text = "# three ranks\n0: 2 1 2\n\n 1 :2\t0 # back\r\n2:";
  const std::vector<BlockEdge> wanted = {
      {1, 1, 0, 0}, {0, 1, 1, 0}, {0, 0, 2, 0}, {0, 2, 2, 1}, {1, 0, 2, 2}};
  EXPECT_EQ(edges_of(listed(text)).value(), wanted);
  EXPECT_EQ(listed(text).size(), 3u);
  EXPECT_EQ(edges_of(listed("0: 0")).value(), (std::vector<BlockEdge>{{0, 0, 0, 0}}));
}

struct Refusal {
  std::string text, sentence;
};

TEST(Graphs, that_are_no_grids_are_refused) {
  EXPECT_FALSE(names_grid("rings:8") || names_grid("ring") || names_grid("0: 1"));
  const std::string number = "given, expected the number of ranks in each dimension";
  std::string ones = "torus:1";
  for (int i = 0; i < 16; ++i) ones += "x1";
  for (const auto& [text, sentence] :
       {Refusal{"ring:0", "'0' " + number}, Refusal{"grid:4x", "'' " + number},
        Refusal{"torus:4x-3", "'-3' " + number}, Refusal{"torus:4x3 ", "'3 ' " + number},
        Refusal{"ring:", "'' " + number}, Refusal{"ring:00", "'00' " + number},
        Refusal{"ring:99999999999", "more ranks than the 100"},
        Refusal{"grid:2x99999999999999999999", "more ranks than the 100"},
        Refusal{"ring:101", "more ranks than the 100"},
        Refusal{"grid:65536x65536x4", "more ranks than the 100"},
        Refusal{"ring:4x3", "a ring has one dimension: expected torus:4x3"},
        Refusal{ones, "more than 16 dimensions given: expected 16 at most"}}) {
    ASSERT_TRUE(names_grid(text)) << text;
    const auto graph = grid_from_text(text, kMostRanks);
    ASSERT_FALSE(graph) << text;
    EXPECT_THAT(graph.error().sentence, HasSubstr(sentence)) << text;
  }
  EXPECT_EQ(grid("ring:100").size(), 100u);
}

TEST(Graphs, that_are_no_lists_are_refused) {
  const std::string form = "expected a rank, a colon, and to whom it gives blocks";
  for (const auto& [text, sentence] :
       {Refusal{"", "no rank given"}, Refusal{"# nothing\n", "no rank given"},
        Refusal{"0 1", "line 1: " + form}, Refusal{"0:\n1 2: 0", "line 2: " + form},
        Refusal{"a: 0", "line 1: " + form}, Refusal{": 0", "line 1: " + form},
        Refusal{"0: 0,1", "line 1: '0,1' given, expected ranks below 100"},
        Refusal{"0: 99999999999999999999",
                "line 1: '99999999999999999999' given, expected ranks below 100"},
        Refusal{"99999999999: 0", "line 1: rank 99999999999 given, expected rank 0"},
        Refusal{"0:\n\n2: 0", "line 3: rank 2 given, expected rank 1"},
        Refusal{"0:\n0: 0", "line 2: rank 0 given, expected rank 1"},
        Refusal{"0:\n1: 0 2", "line 2: rank 2 is outside the graph, which has lines for 2 ranks"},
        Refusal{"0: 1", "line 1: rank 1 is outside the graph, which has lines for 1 rank:"}}) {
    const auto graph = graph_from_lines(text, kMostRanks);
    ASSERT_FALSE(graph) << text;
    EXPECT_THAT(graph.error().sentence, HasSubstr(sentence)) << text;
  }
  EXPECT_THAT(graph_from_lines("0:\n1:\n2:", 2).error().sentence,
              HasSubstr("line 3: more ranks than the 2 that are possible here: expected fewer"));
  EXPECT_TRUE(graph_from_lines("0:\n1:", 2));
}

TEST(Graphs, have_plans_of_the_names_in_the_table) {
  for (const GraphAlgorithm& row : graph_algorithms()) {
    EXPECT_EQ(neighbours_pull(row.collective, 1, {}).name, row.name);
    EXPECT_EQ(find_graph_algorithm(row.name), &row);
    EXPECT_EQ(find_algorithm(row.name), nullptr);
  }
  EXPECT_EQ(find_graph_algorithm("neighbour_alltoall"), nullptr);
}

}  // namespace
}  // namespace terrace
