// SPDX-License-Identifier: BSD-3-Clause
// Machines read through hwloc: synthetic ones against the shapes (which were computed without
// hwloc), recorded ones against their expected text, and the one that runs this test.
#include "machine/machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/bytes.hpp"
#include "hierarchy/hierarchy.hpp"
#include "machines/shapes.hpp"
#include "os/binding.hpp"

namespace terrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kMachines = std::string(TERRACE_SOURCE_DIR) + "/tests/machines/";

Machine machine_from(const std::string& path_or_text) {
  Result<Machine> machine = read_machine(path_or_text);
  EXPECT_TRUE(machine.ok()) << machine.error().sentence;
  return machine.ok() ? std::move(machine).value() : Machine{};
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(file.good()) << path;
  return text.str();
}

/// Children are disjoint, lie inside their parent, and PUs are the leaves.
void expect_laminar(const Resource& resource) {
  PuSet together;
  for (const Resource& child : resource.children) {
    EXPECT_TRUE(resource.pus.contains(child.pus)) << child.level << ' ' << child.index;
    EXPECT_TRUE((together & child.pus).empty()) << child.level << ' ' << child.index;
    EXPECT_TRUE(child.level != resource.level || child.level == "group");
    together.insert(child.pus);
    expect_laminar(child);
  }
  EXPECT_EQ(resource.children.empty(), resource.level == "pu") << resource.level;
  EXPECT_TRUE(resource.level == "pu" || together == resource.pus);
}

/// The locality of rank `rank` of a shape, as hwloc sees it.
Locality locality_by_hwloc(const Machine& machine, const shapes::Shape& shape, Rank rank) {
  PuSet binding;
  for (std::uint32_t pu : shape.bindings[rank]) binding.insert(pu);
  if (binding.empty()) binding = machine.node.pus;
  return locality_of(machine, binding, shape.nodes[rank]);
}

TEST(Machine, hwloc_places_the_ranks_of_every_shape_as_computed_by_hand) {
  for (Rank rank_count : {1u, 3u, 8u, 17u})
    for (const shapes::Shape& shape : shapes::shapes(rank_count)) {
      if (shape.synthetic.empty()) continue;
      const Machine machine = machine_from(shape.synthetic);
      expect_laminar(machine.node);
      for (Rank rank = 0; rank < rank_count; ++rank)
        EXPECT_EQ(to_text(locality_by_hwloc(machine, shape, rank)), to_text(shape.localities[rank]))
            << shape.name << ", rank " << rank << " of " << rank_count;
    }
}

// virtual_two_cores was recorded on a virtual machine; the others are synthetic machines that
// lstopo cut down, limited and wrote: shapes that a synthetic string alone cannot express.
TEST(Machine, recorded_machines_read_as_expected) {
  for (const char* name : {"virtual_two_cores", "uneven_l3", "two_memories", "limited_cpuset",
                           "memory_pool", "nested_groups", "memory_side_cache", "memory_alone"}) {
    Machine machine = machine_from(kMachines + name + ".xml");
    EXPECT_FALSE(machine.is_this_machine);
    expect_laminar(machine.node);
    machine.origin = name;
    std::string text = to_text(machine) + "allowed: " + to_text(machine.allowed) + '\n';
    for (const std::string& remark : machine.remarks) text += remark + '\n';
    EXPECT_EQ(text, text_of_file(kMachines + name + ".txt")) << name;
  }
}

TEST(Machine, levels_are_listed_outermost_first) {
  EXPECT_THAT(levels_of(machine_from("pack:2 l3:1 numa:2 l2:2 core:2 pu:2")),
              ElementsAre("node", "package", "l3", "numa", "l2", "core", "pu"));
  EXPECT_THAT(levels_of(machine_from("pack:2 numa:2 l3:1 core:2 pu:1")),
              ElementsAre("node", "package", "numa", "l3", "core", "pu"));
  EXPECT_THAT(levels_of(machine_from("numa:2 core:2 pu:1")),
              ElementsAre("node", "numa", "core", "pu"))
      << "the group that hwloc hangs the NUMA node on says nothing new";
  EXPECT_THAT(levels_of(machine_from("pack:2 die:2 core:2 pu:1")),
              ElementsAre("node", "numa", "package", "die", "core", "pu"));
  // An L1 is a level only where it is not a core's own.
  EXPECT_THAT(levels_of(machine_from("l2:2 l1:1 core:2 pu:1")),
              ElementsAre("node", "numa", "l2", "l1", "core", "pu"));
  EXPECT_THAT(levels_of(machine_from("l2:2 l1:2 core:1 pu:2")),
              ElementsAre("node", "numa", "l2", "core", "pu"));
}

TEST(Machine, a_level_of_groups_that_split_is_kept) {
  const Machine machine = machine_from("pack:2 [numa] group:2 core:2 pu:1");
  EXPECT_EQ(resources_at(machine, "group").size(), 4u);
  EXPECT_EQ(to_text(locality_of(machine, PuSet{4, 5}, 0)), "node:0/package:1/numa:1/group:2");
}

TEST(Machine, groups_of_several_depths_have_different_numbers) {
  const Machine machine = machine_from(kMachines + "nested_groups.xml");
  std::vector<std::uint64_t> numbers;
  for (const Resource* group : resources_at(machine, "group")) numbers.push_back(group->index);
  std::sort(numbers.begin(), numbers.end());
  EXPECT_EQ(std::adjacent_find(numbers.begin(), numbers.end()), numbers.end());
  EXPECT_EQ(numbers.size(), 12u);
}

TEST(Machine, a_binding_to_all_pus_ends_at_the_node) {
  const Machine machine = machine_from("pack:1 [numa] l3:1 core:4 pu:1");
  EXPECT_EQ(to_text(locality_of(machine, PuSet{0, 1, 2, 3}, 7)), "node:7");
  EXPECT_EQ(to_text(locality_of(machine, PuSet{}, 7)), "node:7");
  EXPECT_EQ(to_text(locality_of(machine, PuSet{99}, 7)), "node:7") << "no PU of this machine";
  EXPECT_EQ(to_text(locality_of(machine, PuSet{0, 1, 2}, 7)), "node:7/package:0/numa:0/l3:0");
}

TEST(Machine, pus_that_the_machine_lacks_do_not_count) {
  const Machine machine = machine_from("pack:2 [numa] core:2 pu:1");
  EXPECT_EQ(to_text(locality_of(machine, PuSet{3, 4, 5, 6}, 0)),
            "node:0/package:1/numa:1/core:3/pu:3");
}

// With a cpuset for each task, a task that numbered its own cores from 0 would meet all others
// on "core 0"; the limits must not change the numbers.
TEST(Machine, a_cpuset_limits_what_is_allowed_but_not_the_numbers) {
  const Machine machine = machine_from(kMachines + "limited_cpuset.xml");
  EXPECT_EQ(machine.node.pus.count(), 8u);
  EXPECT_EQ(machine.allowed, (PuSet{4, 5, 6, 7}));
  EXPECT_EQ(to_text(locality_of(machine, PuSet{4}, 0)), "node:0/package:1/numa:1/l3:1/core:4/pu:4");
  EXPECT_EQ(to_text(locality_of(machine, machine.allowed, 0)), "node:0/package:1/numa:1/l3:1");
}

TEST(Machine, pus_go_by_the_operating_systems_numbers) {
  const Machine machine = machine_from(kMachines + "two_memories.xml");
  EXPECT_EQ(to_text(locality_of(machine, PuSet{1, 5}, 0)), "node:0/package:0/numa:0/l3:0/core:1");
}

TEST(Machine, what_cannot_be_read_is_named_in_the_error) {
  for (const char* text : {"bogus:2", "", "pack:0", "pack:", "pack:2 core", "no/such.xml"}) {
    const Result<Machine> machine = read_machine(text);
    ASSERT_FALSE(machine.ok()) << text;
    EXPECT_EQ(machine.error().code, ErrorCode::argument) << text;
    EXPECT_THAT(machine.error().sentence, HasSubstr("'" + std::string(text) + "'"));
    EXPECT_THAT(machine.error().sentence, HasSubstr("expected"));
  }
}

// Before anything is built: hwloc would take hours and gigabytes.
TEST(Machine, too_large_descriptions_are_refused_at_once) {
  for (const char* text : {"pack:99999999 core:4 pu:1", "pack:65537 pu:1", "256 257",
                           "numa:1000(memory=4GB) l3:1000 core:1000000000000 pu:1"}) {
    const Result<Machine> machine = read_machine(text);
    ASSERT_FALSE(machine.ok()) << text;
    EXPECT_EQ(machine.error().code, ErrorCode::argument);
    EXPECT_THAT(machine.error().sentence, HasSubstr("more than 65536 PUs"));
  }
  EXPECT_EQ(
      machine_from("pack:2(memory=99999999) [numa(memory=99999999)] core:4 pu:2").node.pus.count(),
      16u);
}

TEST(Machine, files_without_end_are_refused) {
  for (const char* path : {"/dev/zero", "/"}) EXPECT_FALSE(read_machine(path).ok()) << path;
}

TEST(Machine, a_file_that_is_no_machine_is_refused) {
  EXPECT_FALSE(read_machine(std::string(TERRACE_SOURCE_DIR) + "/CMakeLists.txt").ok());
}

TEST(Machine, this_machine_is_laminar_and_holds_our_binding) {
  const Result<Machine> machine = read_this_machine();
  ASSERT_TRUE(machine.ok()) << machine.error().sentence;
  expect_laminar(machine.value().node);
  EXPECT_EQ(machine.value().node.level, "node");
  EXPECT_TRUE(machine.value().node.pus.contains(machine.value().allowed));
  if (!machine.value().is_this_machine) GTEST_SKIP() << "hwloc was told of another machine";
  const Result<PuSet> thread = binding_of_this_thread();
  const Result<PuSet> process = binding_of_this_process();
  ASSERT_TRUE(thread.ok() && process.ok());
  EXPECT_TRUE(machine.value().node.pus.contains(thread.value()));
  EXPECT_TRUE(process.value().contains(thread.value()));
}

TEST(Machine, sizes_are_written_with_one_digit_where_it_matters) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1024), "1 KiB");
  EXPECT_EQ(bytes_text(48 * 1024), "48 KiB");
  EXPECT_EQ(bytes_text(503316480), "480 MiB");
  EXPECT_EQ(bytes_text(5731725312), "5.3 GiB");
  EXPECT_EQ(bytes_text(std::uint64_t{1} << 40), "1 TiB");
}

}  // namespace
}  // namespace terrace
