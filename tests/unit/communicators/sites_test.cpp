// SPDX-License-Identifier: BSD-3-Clause
// Networks of sites (tests/machines/sites, each with its source): the levels that communicators get
// there, and how large their groups are.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "communicators/layers.hpp"
#include "machine/network.hpp"
#include "machine/pretend.hpp"

namespace terrace::communicators {
namespace {

std::string path_of(const std::string& file) {
  return std::string(TERRACE_SOURCE_DIR) + "/tests/machines/sites/" + file;
}

/// One rank on each host, or as many as the machine has cores.
std::vector<Locality> ranks_at(const Network& network, const std::string& machine) {
  std::vector<Locality> localities;
  std::size_t node = 0;
  const Environment one_node = [&](const std::string& name) -> std::optional<std::string> {
    return name == "TERRACE_BIND" ? std::optional<std::string>("core") : std::nullopt;
  };
  for (const std::string& host : network.hosts) {
    std::vector<Locality> here = {Locality{{{"node", 0}}}};
    if (!machine.empty())
      here = localities_on(read_machine_synthetic(machine).value(), one_node, 24).value();
    for (Locality& locality : here) {
      locality.places.front().index = node;
      const std::vector<LevelPlace> above = places_of(network, host).value();
      locality.places.insert(locality.places.begin(), above.begin(), above.end());
      localities.push_back(std::move(locality));
    }
    ++node;
  }
  return localities;
}

/// "Switch0: 3 of 6", or "Switch0: 12 6 4 2" where they differ.
std::string sizes_of(const Layer& layer) {
  std::string sizes;
  std::set<std::size_t> different;
  for (const Group* group : layer.groups) {
    different.insert(group->ranks.size());
    sizes += ' ' + std::to_string(group->ranks.size());
  }
  if (different.size() == 1)
    sizes = ' ' + std::to_string(layer.groups.size()) + " of " + std::to_string(*different.begin());
  return layer.type() + ':' + sizes;
}

std::vector<std::string> levels_at(const std::string& file, const std::string& machine = "") {
  const Result<Network> network = read_network(path_of(file));
  EXPECT_TRUE(network.ok()) << (network ? "" : network.error().sentence);
  if (!network) return {};
  const std::vector<Locality> localities = ranks_at(network.value(), machine);
  const Hierarchy hierarchy = hierarchy_of(localities);
  std::vector<std::string> levels;
  for (const Layer& layer : layers_of(hierarchy)) levels.push_back(sizes_of(layer));
  return levels;
}

using Levels = std::vector<std::string>;

TEST(Sites, slurms_tree) {
  EXPECT_EQ(levels_at("slurm_tree.conf"), (Levels{"Switch0: 3 of 6", "Machine: 18 of 1"}));
}

TEST(Sites, slurms_blocks) {
  EXPECT_EQ(levels_at("slurm_block.conf"),
            (Levels{"Block1: 2 of 36", "Block0: 4 of 18", "Machine: 72 of 1"}));
}

/// Section 7.4: 1 communicator of 4; 4 of 12, 6, 4, 2; 24 of 2; 48 of 2; 96 of 6.
TEST(Sites, plafrim_with_24_nodes) {
  const Levels levels = levels_at("plafrim_ntw24e5.conf", "pack:2 numa:2 core:6 pu:1");
  EXPECT_EQ(levels, (Levels{"Switch0: 288 144 96 48", "Machine: 24 of 24", "Package: 48 of 12",
                            "NUMANode: 96 of 6", "Core: 576 of 1"}));
}

TEST(Sites, a_fat_tree) {
  EXPECT_EQ(levels_at("fat_tree.net"), (Levels{"Pod: 4 of 4", "Edge: 8 of 2", "Machine: 16 of 1"}));
}

TEST(Sites, a_dragonfly) {
  EXPECT_EQ(levels_at("cray_aries.net"), (Levels{"Group: 2 of 384", "Chassis: 12 of 64",
                                                 "Router: 192 of 4", "Machine: 768 of 1"}));
}

TEST(Sites, a_torus) {
  EXPECT_EQ(levels_at("bluegene_q_midplane.net"),
            (Levels{"Slice1: 4 of 128", "Slice2: 16 of 32", "Slice3: 64 of 8", "Slice4: 256 of 2",
                    "Machine: 512 of 1"}));
}

/// A dimension of one divides nothing.
TEST(Sites, a_torus_of_units) {
  EXPECT_EQ(levels_at("tofu.net"), (Levels{"Slice1: 2 of 24", "Slice3: 4 of 12", "Slice4: 8 of 6",
                                           "Slice5: 24 of 2", "Machine: 48 of 1"}));
}

TEST(Sites, islands_of_different_depth) {
  EXPECT_EQ(levels_at("islands.net"),
            (Levels{"Island, Machine: 8 3 1", "Row, Machine: 4 4 1 1 1", "Machine: 8 of 1"}));
}

TEST(Sites, a_graph_is_divided_where_little_is_linked) {
  const Result<Network> network = read_network(path_of("mesh.net"));
  if (!network && network.error().code == ErrorCode::unsupported) GTEST_SKIP() << "no Scotch";
  EXPECT_EQ(levels_at("mesh.net"), (Levels{"Part1: 2 of 4", "Machine: 8 of 1"}));
  EXPECT_EQ(places_of(network.value(), "r0").value(), places_of(network.value(), "r3").value());
  EXPECT_NE(places_of(network.value(), "r0").value(), places_of(network.value(), "r4").value());
}

TEST(Sites, all_have_a_test) {
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(path_of("")))
    ++files;
  EXPECT_EQ(files, 9u);
}

}  // namespace
}  // namespace terrace::communicators
