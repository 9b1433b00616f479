// SPDX-License-Identifier: BSD-3-Clause
// Section 6 of the ParCo'18 paper: eight ranks, three levels of two.
#include "model/parco18.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace terrace::model::parco18 {
namespace {

TEST(Parco18, a_flat_tree_of_8_takes_7_messages_and_by_levels_3) {
  EXPECT_DOUBLE_EQ(flat_tree({8, 1, 0, 1}), 7);
  EXPECT_DOUBLE_EQ(hierarchical_flat_tree(std::vector<Level>(3, {2, 1, 0, 1})), 3);
}

TEST(Parco18, where_inner_levels_are_no_slower_than_the_whole_the_gain_is_7_thirds_or_more) {
  const Level all{8, 10, 2, 1};
  const std::vector<Level> alike(3, {2, 10, 2, 1});
  EXPECT_DOUBLE_EQ(flat_tree(all) / hierarchical_flat_tree(alike), 7.0 / 3);
  const std::vector<Level> faster{{2, 10, 2, 1}, {2, 5, 1, 1}, {2, 1, 0.5, 1}};
  EXPECT_GT(flat_tree(all) / hierarchical_flat_tree(faster), 7.0 / 3);
}

TEST(Parco18, each_level_counts_its_own_letters) {
  const std::vector<Level> levels{{4, 100, 10, 1}, {3, 20, 2, 5}};
  EXPECT_DOUBLE_EQ(hierarchical_flat_tree(levels), 3 * (100 + 10) + 2 * (20 + 5 * 2));
  EXPECT_DOUBLE_EQ(hierarchical_flat_tree({}), 0);
}

}  // namespace
}  // namespace terrace::model::parco18
