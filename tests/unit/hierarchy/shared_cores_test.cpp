// SPDX-License-Identifier: BSD-3-Clause
// Goal: ranks that share a core form no group beside others, and all other groups remain; or they
// form one each. Method: localities of ranks that are bound, as text, two to a core or one.
#include "hierarchy/shared_cores.hpp"

#include <gtest/gtest.h>

#include "machines/shapes.hpp"

namespace terrace {
namespace {

using shapes::localities_from;

std::string text_without_shared_cores(std::initializer_list<const char*> places) {
  return to_text(without_shared_cores(hierarchy_of(localities_from(places))));
}

TEST(SharedCores, are_no_groups) {
  EXPECT_EQ(text_without_shared_cores(
                {"node:0/core:0", "node:0/core:0", "node:0/core:1", "node:0/core:1"}),
            "node 0: 0-3\n");
  EXPECT_EQ(text_without_shared_cores({"node:0/core:0", "node:0/core:0", "node:0/core:1"}),
            "node 0: 0-2\n");
}

TEST(SharedCores, leave_the_groups_around_them) {
  EXPECT_EQ(
      text_without_shared_cores({"node:0/l3:0/core:0", "node:0/l3:0/core:0", "node:0/l3:0/core:1",
                                 "node:0/l3:1/core:2", "node:0/l3:1/core:3"}),
      "node 0: 0-4\n"
      "  l3 0: 0-2\n"
      "  l3 1: 3-4\n"
      "    core 2: 3\n"
      "    core 3: 4\n");
}

TEST(SharedCores, are_not_cores_with_a_rank_each) {
  EXPECT_EQ(text_without_shared_cores({"node:0/core:0", "node:0/core:1"}),
            "node 0: 0-1\n  core 0: 0\n  core 1: 1\n");
}

std::string text_with(const Hierarchy& hierarchy, std::vector<std::uint32_t> cores) {
  return to_text(with_shared_cores(hierarchy, cores));
}

TEST(SharedCores, are_groups_where_turns_cost_nothing) {
  EXPECT_EQ(text_with(flat_hierarchy(5), {0, 0, 0, 1, 1}),
            "job 0: 0-4\n  core 0: 0-2\n  core 1: 3-4\n");
  EXPECT_EQ(text_with(flat_hierarchy(4), {1, 0, 1, 0}),
            "job 0: 0-3\n  core 1: 0 2\n  core 0: 1 3\n");
  EXPECT_EQ(text_with(flat_hierarchy(3), {2, 2, 2}), "job 0: 0-2\n") << "all share one";
}

TEST(SharedCores, divide_the_innermost_groups_alone) {
  std::vector<Locality> localities;
  for (const char* const place : {"node:0/l3:0", "node:0/l3:0", "node:0/l3:0", "node:0/l3:1/core:8",
                                  "node:0/l3:1/core:8", "node:0/l3:1/core:9"})
    localities.push_back(locality_from_text(place).value());
  EXPECT_EQ(text_with(hierarchy_of(localities), {0, 0, 1, 2, 2, 3}),
            "node 0: 0-5\n"
            "  l3 0: 0-2\n"
            "    core 0: 0-1\n"
            "    core 1: 2\n"
            "  l3 1: 3-5\n"
            "    core 8: 3-4\n"
            "    core 9: 5\n");
}

}  // namespace
}  // namespace terrace
