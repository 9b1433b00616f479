// SPDX-License-Identifier: BSD-3-Clause
// Pictures of machines and hierarchies have a box for everything, and say where ranks are.
#include "draw/machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "draw/hierarchy.hpp"
#include "draw/svg.hpp"
#include "unit/draw/pictures.hpp"

namespace terrace {
namespace {

using testing::ElementsAre;

/// 2 packages, an L3 each, 2 cores in it.
Machine two_packages() {
  Machine machine;
  machine.origin = "a <small> machine";
  machine.node = {"node", 0, {}, 0, {}};
  for (std::uint64_t package = 0; package < 2; ++package) {
    Resource l3{"l3", package, {}, std::uint64_t{8} << 20, {}};
    for (std::uint64_t core = 2 * package; core < 2 * package + 2; ++core) {
      PuSet pus;
      pus.insert(static_cast<std::uint32_t>(core));
      l3.children.push_back({"core", core, pus, 0, {}});
      l3.pus.insert(static_cast<std::uint32_t>(core));
      machine.node.pus.insert(static_cast<std::uint32_t>(core));
    }
    machine.node.children.push_back({"package", package, l3.pus, 0, {l3}});
  }
  return machine;
}

TEST(MachinePicture, has_a_box_for_each_set_of_pus) {
  const std::string svg = svg_of(two_packages());
  EXPECT_TRUE(is_well_formed(svg)) << svg;
  EXPECT_THAT(tooltips(svg, "resource"),
              ElementsAre("node\nPUs 0-3", "package 0\nL3 0, 8 MiB\nPUs 0-1", "core 0\nPUs 0",
                          "core 1\nPUs 1", "package 1\nL3 1, 8 MiB\nPUs 2-3", "core 2\nPUs 2",
                          "core 3\nPUs 3"));
}

TEST(MachinePicture, shows_ranks_where_they_are_bound) {
  const std::vector<Locality> ranks = {{{{"node", 0}, {"package", 0}, {"l3", 0}, {"core", 1}}},
                                       {{{"node", 0}, {"package", 1}, {"l3", 1}}},
                                       {{{"node", 0}, {"package", 1}, {"l3", 1}}},
                                       {{{"node", 1}, {"package", 0}}},
                                       {{{"node", 0}}}};
  EXPECT_THAT(tooltips(svg_of(two_packages(), ranks), "ranks"),
              ElementsAre("rank 4", "rank 0", "ranks 1-2"));
}

/// Width and height of the boxes of one level, in their order.
std::vector<std::string> sizes(const std::string& svg, const std::string& level) {
  const std::string head = "<g class=\"resource\"><title>" + level + ' ';
  std::vector<std::string> found;
  for (std::size_t at = svg.find(head); at != svg.npos; at = svg.find(head, at + 1)) {
    const std::size_t begin = svg.find(" width=", at);
    found.push_back(svg.substr(begin, svg.find(" rx=", begin) - begin));
  }
  return found;
}

// Their numbers have one digit or two, and one of them has ranks.
TEST(MachinePicture, draws_alike_what_is_alike) {
  Machine machine;
  machine.origin = "two packages";
  machine.node = {"node", 0, {}, 0, {}};
  for (std::uint64_t package = 0; package < 2; ++package) {
    Resource outer{"package", package, {}, 0, {}};
    for (std::uint64_t l3 = 2 * package; l3 < 2 * package + 2; ++l3) {
      Resource inner{"l3", l3, {}, 0, {}};
      for (std::uint32_t core = 0; core < 4; ++core) {
        const auto pu = static_cast<std::uint32_t>(4 * l3) + core;
        inner.children.push_back({"core", pu, PuSet{pu}, 0, {}});
        inner.pus.insert(pu);
      }
      outer.pus.insert(inner.pus);
      outer.children.push_back(std::move(inner));
    }
    machine.node.pus.insert(outer.pus);
    machine.node.children.push_back(std::move(outer));
  }
  const std::vector<Locality> ranks = {{{{"node", 0}, {"package", 0}, {"l3", 0}, {"core", 1}}},
                                       {{{"node", 0}, {"package", 1}}}};
  for (const std::string& svg : {svg_of(machine), svg_of(machine, ranks)})
    for (const auto& [level, count] : {std::pair{"package", 2u}, {"L3", 4u}, {"core", 16u}}) {
      const std::vector<std::string> all = sizes(svg, level);
      ASSERT_EQ(all.size(), count) << level;
      for (const std::string& one : all) EXPECT_EQ(one, all.front()) << level;
    }
}

TEST(HierarchyPicture, has_a_box_for_each_group) {
  const std::string svg = svg_of(domains(2, 2));
  EXPECT_TRUE(is_well_formed(svg)) << svg;
  EXPECT_THAT(
      tooltips(svg, "group"),
      ElementsAre("Machine 0: ranks 0-3", "Package 0: ranks 0-1", "Core 0: ranks 0",
                  "Core 1: ranks 1", "Package 1: ranks 2-3", "Core 2: ranks 2", "Core 3: ranks 3"));
  EXPECT_EQ(picture_text(domains(2, 2)),
            "Machine 0: 0-3   roots 0 2\n"
            "  Package 0: 0-1   roots 0-1\n    Core 0: 0\n    Core 1: 1\n"
            "  Package 1: 2-3   roots 2-3\n    Core 2: 2\n    Core 3: 3\n");
}

TEST(Svg, cuts_words_to_the_room_there_is_and_between_letters) {
  EXPECT_EQ(fitted("allreduce", 1000), "allreduce");
  EXPECT_EQ(fitted("allreduce", 5 * width_of("x")), "allr\u2026");
  EXPECT_EQ(fitted("\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9", 5 * width_of("x")),
            "\u00e9\u00e9\u00e9\u00e9\u2026");
  EXPECT_EQ(fitted("allreduce", width_of("x")), "");
}

}  // namespace
}  // namespace terrace
