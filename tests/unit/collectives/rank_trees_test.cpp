// SPDX-License-Identifier: BSD-3-Clause
// Trees by rank, written out; and groups by node.
#include "collectives/rank_trees.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace terrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RankTrees, are_those_of_open_mpi) {
  EXPECT_THAT(children_in(RankTree::linear, 4),
              ElementsAre(ElementsAre(1, 2, 3), IsEmpty(), IsEmpty(), IsEmpty()));
  EXPECT_THAT(children_in(RankTree::chain, 8),
              ElementsAre(ElementsAre(1, 3, 5, 7), ElementsAre(2), IsEmpty(), ElementsAre(4),
                          IsEmpty(), ElementsAre(6), IsEmpty(), IsEmpty()));
  EXPECT_THAT(children_in(RankTree::chain, 3),
              ElementsAre(ElementsAre(1, 2), IsEmpty(), IsEmpty()));
  EXPECT_THAT(children_in(RankTree::pipeline, 3),
              ElementsAre(ElementsAre(1), ElementsAre(2), IsEmpty()));
  EXPECT_THAT(children_in(RankTree::binary, 8),
              ElementsAre(ElementsAre(1, 2), ElementsAre(3, 5), ElementsAre(4, 6), ElementsAre(7),
                          IsEmpty(), IsEmpty(), IsEmpty(), IsEmpty()));
  EXPECT_THAT(children_in(RankTree::binomial, 8),
              ElementsAre(ElementsAre(1, 2, 4), ElementsAre(3, 5), ElementsAre(6), ElementsAre(7),
                          IsEmpty(), IsEmpty(), IsEmpty(), IsEmpty()));
  EXPECT_THAT(children_in(RankTree::binomial_runs, 8),
              ElementsAre(ElementsAre(1, 2, 4), IsEmpty(), ElementsAre(3), IsEmpty(),
                          ElementsAre(5, 6), IsEmpty(), ElementsAre(7), IsEmpty()));
}

/// Two nodes of two packages each, of three ranks.
Hierarchy two_nodes() {
  std::vector<Locality> localities;
  for (std::uint64_t rank = 0; rank < 12; ++rank)
    localities.push_back({{{"node", rank / 6}, {"package", rank % 6 / 3}, {"core", rank % 6}}});
  return hierarchy_of(localities);
}

TEST(RankTrees, have_a_head_for_each_part) {
  const Group all = two_nodes().all;
  EXPECT_THAT(heads_of(all, 4), ElementsAre(4, 6));
  EXPECT_THAT(heads_from(all, 7), ElementsAre(7, 0));
  EXPECT_THAT(heads_from(all.children[0], 4), ElementsAre(4, 0));
  EXPECT_THAT(heads_from(all.children[0].children[1], 4), ElementsAre(4, 5, 3));
}

TEST(Nodes, are_groups_of_the_hierarchy) {
  const auto ranks_of = [](const Hierarchy& hierarchy) {
    std::vector<std::vector<Rank>> ranks;
    for (const Group& node : node_groups(hierarchy)) ranks.push_back(node.ranks);
    return ranks;
  };
  EXPECT_THAT(ranks_of(two_nodes()),
              ElementsAre(ElementsAre(0, 1, 2, 3, 4, 5), ElementsAre(6, 7, 8, 9, 10, 11)));
  EXPECT_EQ(node_groups(two_nodes())[1].children.size(), 2u);
  EXPECT_THAT(ranks_of(flat_hierarchy(2)), ElementsAre(ElementsAre(0, 1)));
  // A switch next to a node of its own: the outermost groups of one node.
  const std::vector<Locality> mixed = {{{{"switch", 0}, {"node", 0}, {"core", 0}}},
                                       {{{"switch", 0}, {"node", 1}, {"core", 0}}},
                                       {{{"switch", 1}, {"node", 2}, {"core", 0}}},
                                       {{{"switch", 0}, {"node", 0}, {"core", 1}}}};
  EXPECT_THAT(ranks_of(hierarchy_of(mixed)),
              ElementsAre(ElementsAre(0, 3), ElementsAre(1), ElementsAre(2)));
}

}  // namespace
}  // namespace terrace
