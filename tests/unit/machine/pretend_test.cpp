// SPDX-License-Identifier: BSD-3-Clause
// Pretended machines: the three variables place ranks, announce themselves, and refuse nonsense.
#include "machine/pretend.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "hierarchy/hierarchy.hpp"
#include "machines/shapes.hpp"
#include "os/binding.hpp"

namespace terrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kTwoPackages = "pack:2 [numa] l3:1 core:2 pu:2";

Environment with(std::map<std::string, std::string> variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
}

std::vector<std::string> places(const Environment& environment, Rank rank_count) {
  const Result<std::vector<Locality>> localities = localities_of_ranks(environment, rank_count);
  EXPECT_TRUE(localities.ok()) << localities.error().sentence;
  std::vector<std::string> texts;
  if (localities.ok())
    for (const Locality& locality : localities.value()) texts.push_back(to_text(locality));
  return texts;
}

std::string refusal(const Environment& environment, Rank rank_count) {
  const Result<std::vector<Locality>> localities = localities_of_ranks(environment, rank_count);
  EXPECT_FALSE(localities.ok());
  return localities.ok() ? "" : localities.error().sentence;
}

TEST(Pretend, ranks_take_the_cores_in_order_and_wrap) {
  EXPECT_THAT(
      places(with({{"TERRACE_MACHINE", kTwoPackages}, {"TERRACE_BIND", "core"}}), 5),
      ElementsAre("node:0/package:0/numa:0/l3:0/core:0", "node:0/package:0/numa:0/l3:0/core:1",
                  "node:0/package:1/numa:1/l3:1/core:2", "node:0/package:1/numa:1/l3:1/core:3",
                  "node:0/package:0/numa:0/l3:0/core:0"));
}

TEST(Pretend, cores_are_what_a_pretended_machine_binds_to_by_default) {
  EXPECT_EQ(places(with({{"TERRACE_MACHINE", kTwoPackages}}), 4),
            places(with({{"TERRACE_MACHINE", kTwoPackages}, {"TERRACE_BIND", "core"}}), 4));
}

TEST(Pretend, a_level_binds_to_the_resource_around_the_core) {
  EXPECT_THAT(places(with({{"TERRACE_MACHINE", kTwoPackages}, {"TERRACE_BIND", "package"}}), 3),
              ElementsAre("node:0/package:0/numa:0/l3:0", "node:0/package:0/numa:0/l3:0",
                          "node:0/package:1/numa:1/l3:1"));
  EXPECT_THAT(
      places(with({{"TERRACE_MACHINE", "pack:2 numa:2 core:2 pu:1"}, {"TERRACE_BIND", "numa"}}), 4),
      ElementsAre("node:0/package:0/numa:0", "node:0/package:0/numa:0", "node:0/package:0/numa:1",
                  "node:0/package:0/numa:1"));
}

TEST(Pretend, pus_are_taken_in_the_order_of_the_machine) {
  EXPECT_THAT(places(with({{"TERRACE_MACHINE", kTwoPackages}, {"TERRACE_BIND", "pu"}}), 3),
              ElementsAre("node:0/package:0/numa:0/l3:0/core:0/pu:0",
                          "node:0/package:0/numa:0/l3:0/core:0/pu:1",
                          "node:0/package:0/numa:0/l3:0/core:1/pu:2"));
}

TEST(Pretend, pus_stand_in_for_cores_where_a_machine_shows_none) {
  EXPECT_THAT(
      places(with({{"TERRACE_MACHINE", "pack:2 [numa] pu:2"}, {"TERRACE_BIND", "core"}}), 3),
      ElementsAre("node:0/package:0/numa:0/pu:0", "node:0/package:0/numa:0/pu:1",
                  "node:0/package:1/numa:1/pu:2"));
}

TEST(Pretend, unbound_ranks_end_at_the_node) {
  EXPECT_THAT(places(with({{"TERRACE_MACHINE", kTwoPackages}, {"TERRACE_BIND", "none"}}), 2),
              ElementsAre("node:0", "node:0"));
}

TEST(Pretend, a_list_binds_each_rank) {
  EXPECT_THAT(
      places(with({{"TERRACE_MACHINE", kTwoPackages}, {"TERRACE_BIND", "7,0-1,0+2,0+7,none"}}), 5),
      ElementsAre("node:0/package:1/numa:1/l3:1/core:3/pu:7", "node:0/package:0/numa:0/l3:0/core:0",
                  "node:0/package:0/numa:0/l3:0", "node:0", "node:0"));
}

TEST(Pretend, nodes_get_equal_blocks_of_ranks_and_each_starts_at_core_0) {
  const std::vector<std::string> texts =
      places(with({{"TERRACE_MACHINE", "core:4 pu:1"}, {"TERRACE_NODES", "2"}}), 5);
  EXPECT_THAT(texts, ElementsAre("node:0/numa:0/core:0/pu:0", "node:0/numa:0/core:1/pu:1",
                                 "node:0/numa:0/core:2/pu:2", "node:1/numa:0/core:0/pu:0",
                                 "node:1/numa:0/core:1/pu:1"));
}

TEST(Pretend, nodes_can_be_given_by_their_ranks) {
  const Environment environment = with(
      {{"TERRACE_MACHINE", "core:4 pu:1"}, {"TERRACE_NODES", "1,3"}, {"TERRACE_BIND", "none"}});
  EXPECT_THAT(places(environment, 4), ElementsAre("node:0", "node:1", "node:1", "node:1"));
}

TEST(Pretend, more_nodes_than_ranks_leave_nodes_empty) {
  const Environment environment = with({{"TERRACE_NODES", "9"}, {"TERRACE_BIND", "none"}});
  EXPECT_THAT(places(environment, 2), ElementsAre("node:0", "node:1"));
}

TEST(Pretend, one_rank_is_told_the_same_as_all) {
  const Environment environment =
      with({{"TERRACE_MACHINE", kTwoPackages}, {"TERRACE_NODES", "2"}, {"TERRACE_BIND", "pu"}});
  const std::vector<std::string> all = places(environment, 7);
  const Result<Machine> machine = machine_of(environment);
  ASSERT_TRUE(machine.ok());
  for (Rank rank = 0; rank < 7; ++rank) {
    const Result<Locality> one = locality_of_rank(machine.value(), environment, rank, 7);
    ASSERT_TRUE(one.ok());
    EXPECT_EQ(to_text(one.value()), all[rank]);
  }
  EXPECT_FALSE(locality_of_rank(machine.value(), environment, 7, 7).ok());
}

TEST(Pretend, without_variables_the_thread_is_where_it_is) {
  const Result<Machine> machine = read_this_machine();
  const Result<PuSet> binding = binding_of_this_thread();
  ASSERT_TRUE(machine.ok() && binding.ok());
  if (!machine.value().is_this_machine) GTEST_SKIP() << "hwloc was told of another machine";
  EXPECT_THAT(places(with({}), 2),
              testing::Each(to_text(locality_of(machine.value(), binding.value(), 0))));
}

// The shapes of the other rooms' tests, through the variables: lists of PUs on synthetic machines.
TEST(Pretend, every_shape_on_one_node_can_be_pretended) {
  for (const shapes::Shape& shape : shapes::shapes(9)) {
    if (shape.synthetic.empty() || shape.nodes != std::vector<std::uint32_t>(9)) continue;
    std::string bind;
    for (const shapes::PuList& pus : shape.bindings) {
      PuSet set;
      for (std::uint32_t pu : pus) set.insert(pu);
      if (!bind.empty()) bind += ',';
      bind += set.empty() ? "none" : to_text(set, '+');
    }
    const Result<std::vector<Locality>> localities = localities_of_ranks(
        with({{"TERRACE_MACHINE", shape.synthetic}, {"TERRACE_BIND", bind}}), 9);
    ASSERT_TRUE(localities.ok()) << localities.error().sentence;
    EXPECT_EQ(localities.value(), shape.localities) << shape.name;
    EXPECT_EQ(hierarchy_of(localities.value()), hierarchy_of(shape.localities));
  }
}

TEST(Pretend, announces_what_is_pretended_and_why) {
  EXPECT_EQ(announcement_of(with({})), "");
  EXPECT_EQ(announcement_of(with({{"TERRACE_MACHINE", ""}})), "") << "empty means not set";
  EXPECT_EQ(announcement_of(with({{"TERRACE_MACHINE", "core:4 pu:1"}})),
            "terrace: pretending to be on the machine \"core:4 pu:1\" because TERRACE_MACHINE is "
            "set");
  EXPECT_EQ(announcement_of(with({{"TERRACE_NODES", "2"}, {"TERRACE_BIND", "core"}})),
            "terrace: pretending to be on nodes 2 because TERRACE_NODES is set, "
            "bound to core because TERRACE_BIND is set");
}

TEST(Pretend, refuses_with_the_variables_name_and_what_was_expected) {
  const std::map<std::string, std::string> machine = {{"TERRACE_MACHINE", "pack:2 core:2 pu:1"}};
  const auto refuses = [&](const char* variable, const char* value, const char* shown,
                           const char* expected) {
    std::map<std::string, std::string> variables = machine;
    variables[variable] = value;
    const std::string sentence = refusal(with(variables), 4);
    EXPECT_THAT(sentence, HasSubstr(variable));
    EXPECT_THAT(sentence, HasSubstr(shown));
    EXPECT_THAT(sentence, HasSubstr(expected));
    EXPECT_THAT(sentence, Not(HasSubstr("\n")));
  };
  refuses("TERRACE_MACHINE", "bogus:3", "'bogus:3'", "expected levels with counts");
  refuses("TERRACE_MACHINE", "./no_such_file.xml", "'./no_such_file.xml'", "expected a file");
  refuses("TERRACE_NODES", "two", "'two'", "expected a number of nodes");
  refuses("TERRACE_NODES", "0", "'0'", "expected a number of nodes");
  refuses("TERRACE_NODES", "2,,2", "'2,,2'", "expected a number of nodes");
  refuses("TERRACE_NODES", "2,3", "'2,3'", "expected 4");
  refuses("TERRACE_NODES", "4294967295,5", "'4294967295,5'", "expected 4");
  refuses("TERRACE_BIND", "l3", "'l3'", "node, numa, package, core, pu, none");
  refuses("TERRACE_BIND", "cores", "'cores'", "expected a level");
  refuses("TERRACE_BIND", "0,1,2", "'0,1,2'", "expected 4");
  refuses("TERRACE_BIND", "0,1,2,9", "rank 3 to PU 9", "expected PUs of");
  refuses("TERRACE_BIND", "0,1,2,x", "not 'x'", "rank 3: expected numbers");
}

}  // namespace
}  // namespace terrace
