// SPDX-License-Identifier: BSD-3-Clause
// Networks as sites describe them, and what is said of descriptions that are wrong.
#include "machine/network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace terrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

Network network_from(const std::string& text) {
  const Result<Network> network = network_from_text(text, "net.txt");
  EXPECT_TRUE(network.ok()) << (network ? "" : network.error().sentence);
  return network ? network.value() : Network{};
}

std::string complaint_about(const std::string& text) {
  const Result<Network> network = network_from_text(text, "net.txt");
  return network ? "" : network.error().sentence;
}

std::string text_of(const std::vector<LevelPlace>& places) {
  return to_text(Locality{places});
}

std::string place_in(const Network& network, const std::string& host) {
  const auto places = places_of(network, host);
  return places ? text_of(places.value()) : places.error().sentence;
}

TEST(Names, have_ranges_with_zeros) {
  EXPECT_THAT(names_from("n[001-003,7],login").value(),
              ElementsAre("n001", "n002", "n003", "n7", "login"));
  EXPECT_THAT(names_from("r[1-2]n[8-9]x").value(), ElementsAre("r1n8x", "r1n9x", "r2n8x", "r2n9x"));
  EXPECT_THAT(names_from("n[98-101]").value(), ElementsAre("n98", "n99", "n100", "n101"));
}

TEST(Names, that_make_no_sense_are_refused) {
  for (const char* text :
       {"n[1-", "n1]", "n[]", "n[3-1]", "n[a-b]", "n]1[", "n[1-9999999]", "n[0-9999]x[0-9999]"})
    EXPECT_FALSE(names_from(text).ok()) << text;
}

TEST(Networks, of_our_own_files_have_any_levels) {
  const Network network = network_from(
      "# a comment\n"
      "site here: rack[1-2] login\n"
      "rack rack1: leaf[1-2]   # two switches\n"
      "rack rack2: leaf3\n"
      "leaf leaf1: n[01-02]\n"
      "leaf leaf2: n[03-04]\n"
      "leaf leaf3: n[05-06]\n");
  EXPECT_EQ(place_in(network, "n02"), "site:0/rack:1/leaf:3");
  EXPECT_EQ(place_in(network, "n03"), "site:0/rack:1/leaf:4");
  EXPECT_EQ(place_in(network, "n06.cluster.example"), "site:0/rack:2/leaf:5");
  EXPECT_EQ(place_in(network, "login"), "site:0");
  EXPECT_THAT(network.hosts, ElementsAre("login", "n01", "n02", "n03", "n04", "n05", "n06"));
}

TEST(Networks, of_dragonflies_have_groups_as_levels) {
  const Network network = network_from(
      "group g0: r[0-1]\n"
      "group g1: r[2-3]\n"
      "router r0: n[0-3]\nrouter r1: n[4-7]\nrouter r2: n[8-11]\nrouter r3: n[12-15]\n");
  EXPECT_EQ(place_in(network, "n5"), "group:0/router:3");
  EXPECT_EQ(place_in(network, "n12"), "group:1/router:5");
}

TEST(Networks, of_slurms_tree_plugin_are_numbered_from_the_leaves) {
  const Network network = network_from(
      "# topology/tree\n"
      "SwitchName=s0 Nodes=tux[0-3]\n"
      "SwitchName=s1 Nodes=tux[4-7] LinkSpeed=900\n"
      "switchname=s2 nodes=tux[8-11]\n"
      "SwitchName=s3 Switches=s[0-1]\n"
      "SwitchName=s4 Switches=s2,s3\n");
  EXPECT_EQ(place_in(network, "tux0"), "switch2:4/switch1:3/switch0:0");
  EXPECT_EQ(place_in(network, "tux7"), "switch2:4/switch1:3/switch0:1");
  EXPECT_EQ(place_in(network, "tux8"), "switch2:4/switch0:2");
}

TEST(Networks, of_slurms_block_plugin_have_aggregated_blocks) {
  const Network network = network_from(
      "BlockName=b1 Nodes=n[01-04]\n"
      "BlockName=b2 Nodes=n[05-08]\n"
      "BlockName=b3 Nodes=n[09-12]\n"
      "BlockName=b4 \\\n"
      "  Nodes=n[13-16]\n"
      "BlockSizes=4,8,16\n");
  EXPECT_EQ(place_in(network, "n01"), "block2:6/block1:4/block0:0");
  EXPECT_EQ(place_in(network, "n08"), "block2:6/block1:4/block0:1");
  EXPECT_EQ(place_in(network, "n16"), "block2:6/block1:5/block0:3");
}

TEST(Networks, tell_what_is_wrong_and_where) {
  EXPECT_THAT(complaint_about("leaf a: n1\nleaf a: n2\n"),
              HasSubstr("net.txt, line 2: a is there"));
  EXPECT_THAT(complaint_about("leaf a: n1\nleaf b: n1\n"), HasSubstr("line 2: n1 lies in a"));
  EXPECT_THAT(complaint_about("leaf a: b\nleaf b: a\n"), HasSubstr("lies in itself"));
  EXPECT_THAT(complaint_about("leaf a: a\n"), HasSubstr("lies in itself"));
  EXPECT_THAT(complaint_about("\n\nleaf a n1\n"), HasSubstr("line 3: 'leaf a n1': expected LEVEL"));
  EXPECT_THAT(complaint_about("Leaf a: n1\n"), HasSubstr("line 1"));
  EXPECT_THAT(complaint_about("node a: n1\n"), HasSubstr("not those of a machine"));
  EXPECT_THAT(complaint_about("leaf a: n[1-\n"), HasSubstr("line 1: 'n[1-': expected names"));
  EXPECT_THAT(complaint_about("SwitchName=s0 Nodes=n[2-1]\n"), HasSubstr("line 1"));
  EXPECT_THAT(complaint_about("SwitchName=s0 Nodes=n1\nLinkSpeed=4\n"),
              HasSubstr("line 2: 'LinkSpeed=4': expected SwitchName="));
  EXPECT_THAT(complaint_about("leaf a:\n"), HasSubstr("net.txt names no hosts"));
  EXPECT_THAT(complaint_about("# nothing\n"), HasSubstr("is empty"));
}

TEST(Networks, name_hosts_that_they_do_not_have) {
  EXPECT_EQ(place_in(network_from("leaf a: n1\n"), "n2.example"),
            "the host n2.example is not in net.txt: add it there");
}

TEST(Networks, without_a_file_are_refused) {
  EXPECT_THAT(read_network("/nowhere/net.txt").error().sentence, HasSubstr("/nowhere/net.txt"));
}

TEST(SlurmsVariables, name_the_switches_above_a_node) {
  const auto a = places_from_slurm("s0.s4.tux1", "switch.switch.node").value();
  const auto b = places_from_slurm("s0.s4.tux2", "switch.switch.node").value();
  const auto c = places_from_slurm("s0.s5.tux3", "switch.switch.node").value();
  ASSERT_THAT(a, SizeIs(2));
  EXPECT_EQ(a[0].level, "switch1");
  EXPECT_EQ(a[1].level, "switch0");
  EXPECT_EQ(a, b);
  EXPECT_EQ(a[0], c[0]);
  EXPECT_NE(a[1], c[1]);
  EXPECT_THAT(places_from_slurm("s[0-1].tux1", "switch.node").value(), SizeIs(1));
  EXPECT_THAT(places_from_slurm("tux1", "node").value(), SizeIs(0));
}

TEST(SlurmsVariables, that_do_not_match_are_refused) {
  EXPECT_FALSE(places_from_slurm("s0.tux1", "switch.switch.node").ok());
  EXPECT_FALSE(places_from_slurm("", "").ok());
  EXPECT_FALSE(places_from_slurm("s0.s1", "switch.switch").ok());
}

TEST(Network, a_torus_is_divided_along_its_dimensions) {
  const Network network = network_from("torus t 2x2x2: n[0-7]\n");
  EXPECT_THAT(network.hosts, ElementsAre("n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"));
  const auto n5 = places_of(network, "n5").value(), n4 = places_of(network, "n4").value();
  ASSERT_THAT(n5, SizeIs(3));
  EXPECT_EQ(n5[0].level, "torus");
  EXPECT_EQ(n5[2].level, "slice2");
  EXPECT_EQ(n5, n4);
  EXPECT_EQ(places_of(network, "n6").value()[1], n5[1]);
  EXPECT_NE(places_of(network, "n6").value()[2], n5[2]);
}

TEST(Network, a_torus_may_lie_in_a_part) {
  const Network network = network_from("island i: t\ntorus t 2x1: a b\n");
  EXPECT_EQ(places_of(network, "a").value()[0].level, "island");
}

TEST(Network, hosts_of_a_torus_have_coordinates) {
  const Network network = network_from("island i: t login\ntorus t 2x3x2: n[00-11]\n");
  EXPECT_THAT(coordinates_of(network, "n00"), ElementsAre(0, 0, 0));
  EXPECT_THAT(coordinates_of(network, "n05.site.org"), ElementsAre(0, 2, 1));
  EXPECT_THAT(coordinates_of(network, "n11"), ElementsAre(1, 2, 1));
  EXPECT_THAT(coordinates_of(network, "login"), SizeIs(0));
  EXPECT_THAT(coordinates_of(network, "nowhere"), SizeIs(0));
}

TEST(Network, coordinates_are_those_of_the_innermost_torus) {
  const Network network =
      network_from("torus t 3: b[0-2]\nblade b0: h[0-1]\ntorus b1 1x2: h[2-3]\nblade b2: h4\n");
  EXPECT_THAT(coordinates_of(network, "h1"), ElementsAre(0));
  EXPECT_THAT(coordinates_of(network, "h3"), ElementsAre(0, 1));
  EXPECT_THAT(coordinates_of(network, "h4"), ElementsAre(2));
}

TEST(Network, wrong_shapes_are_named_with_their_line) {
  EXPECT_THAT(complaint_about("torus t 2x3: n[0-6]\n"),
              HasSubstr("line 1: the torus t has 6 places: expected as many hosts, not 7"));
  EXPECT_THAT(complaint_about("torus t 2y3: n[0-5]\n"), HasSubstr("expected torus NAME 4x3x2"));
  EXPECT_THAT(complaint_about("torus t 0x3: a\n"), HasSubstr("expected torus NAME 4x3x2"));
  EXPECT_THAT(complaint_about("graph g: a\n"), HasSubstr("graph NAME 2x4: HOSTS"));
  EXPECT_THAT(complaint_about("link a b 3\n"), HasSubstr("below the graph that it is of"));
  EXPECT_THAT(complaint_about("graph g 2: a b\nlink a b 0\n"), HasSubstr("line 2"));
  EXPECT_THAT(complaint_about("graph g 2: a b\nlink a a\n"), HasSubstr("line 2"));
}

std::string times(int count, const std::string& text) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

TEST(Names, of_the_largest_number_end) {
  EXPECT_THAT(names_from("n[18446744073709551614-18446744073709551615]").value(),
              ElementsAre("n18446744073709551614", "n18446744073709551615"));
}

TEST(Names, are_a_million_at_most_however_they_are_told) {
  EXPECT_THAT(names_from("n[0-499999,500000-999999]").value(), SizeIs(1'000'000));
  EXPECT_FALSE(names_from("n[0-499999,500000-1000000]").ok());
  EXPECT_THAT(complaint_about("leaf a: n[0-499999] m[0-500000]\n"),
              HasSubstr("line 1: there are more than a million names"));
}

TEST(Names, have_so_many_letters) {
  EXPECT_TRUE(names_from(std::string(255, 'n')).ok());
  EXPECT_FALSE(names_from(std::string(256, 'n')).ok());
  EXPECT_FALSE(names_from("n[1]" + std::string(254, 'n')).ok());
  EXPECT_FALSE(names_from("n[" + std::string(255, '0') + "1-2]").ok());
}

TEST(Network, a_graph_has_each_host_once) {
  EXPECT_THAT(complaint_about("leaf a: b\ngraph g 2: n1,n1\n"),
              HasSubstr("line 2: the host n1 appears twice in the graph g"));
  EXPECT_THAT(complaint_about("graph g 2: n[1-64],n[1-64]\n"), HasSubstr("n1 appears twice"));
}

TEST(Network, links_are_a_million_at_most) {
  const std::string graph = "graph g 2: n1,n1\n";  // so that nothing is divided
  EXPECT_THAT(complaint_about(graph + "link n[1-1001] m[1-1000]\n"),
              HasSubstr("line 2: 'link n[1-1001] m[1-1000]': this makes more than a million"));
  EXPECT_THAT(complaint_about(graph + "link n[1-1000] m[1-500]\nlink n[1-1001] k[1-500]\n"),
              HasSubstr("line 3"));
  EXPECT_THAT(complaint_about(graph + "link n[1-1000] m[1-500]\n"), HasSubstr("twice"));
}

TEST(Network, shapes_have_so_many_factors_and_parts) {
  EXPECT_EQ(complaint_about("torus t 1" + times(63, "x1") + ": n1\n"), "");
  for (const char* shape : {"torus t 1", "graph t 1"})
    EXPECT_THAT(complaint_about(shape + times(64, "x1") + ": n1\n"), HasSubstr("64 factors"));
  EXPECT_THAT(complaint_about("torus t 100000" + times(11, "x1") + ": n[1-100000]\n"),
              HasSubstr("has 1100001 parts"));
}

TEST(Network, complaints_quote_the_beginning_of_long_lines) {
  const std::string shape = "graph g 1" + times(500, "x1") + ": a\n";
  EXPECT_THAT(complaint_about(shape),
              HasSubstr("line 1: '" + shape.substr(0, 200) + "...': expected torus"));
  EXPECT_THAT(complaint_about("leaf a: " + std::string(300, 'n') + '\n'),
              HasSubstr("'" + std::string(200, 'n') + "...': expected names"));
}

TEST(Network, files_have_so_many_names_and_sizes) {
  EXPECT_THAT(complaint_about("torus t 500001: n[0-500000]\ngraph g 2: m[0-500000]\n"),
              HasSubstr("line 2: there are more than a million hosts in toruses and graphs"));
  EXPECT_THAT(complaint_about("leaf a: a[1-999999]\nleaf b: b[1-999999]\nleaf c: c[1-3]\n"),
              HasSubstr("line 3: there are more than two million names up to this line"));
  EXPECT_THAT(complaint_about("BlockName=b Nodes=n1\nBlockSizes=1" + times(100, ",1") + '\n'),
              HasSubstr("line 2: BlockSizes= has more than 100 sizes"));
}

/// A chain of switches, with a host in the last.
std::string chain_of(int switches) {
  std::string text;
  for (int i = 0; i + 1 < switches; ++i)
    text += "SwitchName=s" + std::to_string(i) + " Switches=s" + std::to_string(i + 1) + '\n';
  return text + "SwitchName=s" + std::to_string(switches - 1) + " Nodes=n1\n";
}

TEST(Network, parts_lie_in_each_other_so_deep) {
  EXPECT_EQ(complaint_about(chain_of(101)), "");
  EXPECT_THAT(complaint_about(chain_of(102)),
              HasSubstr("line 102: s101 lies in more than 100 parts, one in the other"));
  EXPECT_THAT(complaint_about(chain_of(10'000)), HasSubstr("lies in more than 100 parts"));
}

TEST(Network, in_itself_is_told_from_too_deep) {
  std::string many;
  for (int i = 0; i < 200; ++i)
    many += "leaf l" + std::to_string(i) + ": n" + std::to_string(i) + '\n';
  EXPECT_THAT(complaint_about(many + "leaf a: b\nleaf b: a\n"),
              HasSubstr("line 201: a lies in itself"));
}

TEST(Network, links_of_a_great_weight_hold_together) {
  const std::string heavy = "link a c 1000000\nlink b d 1000000\n";
  const Result<Network> network = network_from_text(
      "graph g 2: a b c d\n" + times(2148, heavy) + "link a b\nlink c d\n", "net.txt");
  if (!network && network.error().code == ErrorCode::unsupported) GTEST_SKIP() << "no Scotch";
  ASSERT_TRUE(network.ok()) << network.error().sentence;
  EXPECT_EQ(place_in(network.value(), "a"), place_in(network.value(), "c"));
  EXPECT_EQ(place_in(network.value(), "b"), place_in(network.value(), "d"));
  EXPECT_NE(place_in(network.value(), "a"), place_in(network.value(), "b"));
}

TEST(Network, a_graph_of_hosts_and_switches_is_divided) {
  const Result<Network> network = network_from_text(
      "graph g 2x2: n[0-7]\nlink s0 n[0-3] 4\nlink s1 n[4-7] 4\nlink s0 s1\n", "net.txt");
  if (!network && network.error().code == ErrorCode::unsupported) {
    EXPECT_THAT(network.error().sentence,
                HasSubstr("net.txt, line 1: partitioning a graph needs Scotch"));
    GTEST_SKIP() << "no Scotch";
  }
  ASSERT_TRUE(network.ok()) << network.error().sentence;
  const auto places = [&](const char* host) { return places_of(network.value(), host).value(); };
  ASSERT_THAT(places("n0"), SizeIs(3));
  EXPECT_EQ(places("n0")[1], places("n3")[1]);
  EXPECT_NE(places("n0")[1], places("n4")[1]);
}

}  // namespace
}  // namespace terrace
