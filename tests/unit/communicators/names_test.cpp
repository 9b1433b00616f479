// SPDX-License-Identifier: BSD-3-Clause
// Levels and the names that users know them by.
#include "communicators/names.hpp"

#include <gtest/gtest.h>

#include "hierarchy/hierarchy.hpp"

namespace terrace::communicators {
namespace {

TEST(Names, are_those_of_hwloc_and_of_the_paper) {
  EXPECT_EQ(type_of("node"), "Machine");
  EXPECT_EQ(type_of("numa"), "NUMANode");
  EXPECT_EQ(type_of("l3"), "L3Cache");
  EXPECT_EQ(type_of("core"), "Core");
  EXPECT_EQ(type_of("pu"), "PU");
  EXPECT_EQ(type_of(kJobLevel), "System - Cluster");
  EXPECT_EQ(type_of("switch"), "Switch");
}

TEST(Names, are_understood_in_any_case_and_as_uris) {
  for (const char* type : {"L3Cache", "l3cache", "L3", "hwloc://L3Cache", "hwloc://l3"})
    EXPECT_EQ(level_of(type), "l3") << type;
  EXPECT_EQ(level_of("Socket"), "package");
  EXPECT_EQ(level_of("NUMANode"), "numa");
  EXPECT_EQ(level_of("Switch"), "switch");
}

TEST(Names, must_be_whole) {
  EXPECT_EQ(level_of("hwloc://corexyz"), "");
  EXPECT_EQ(level_of("hwloc://"), "");
  EXPECT_NE(level_of("corexyz"), "core");
  EXPECT_NE(level_of("cor"), "core");
}

TEST(Names, of_mpis_are_understood_where_mpi_defines_the_split) {
  EXPECT_EQ(level_of_mpis_name("CPU"), "package");
  EXPECT_EQ(level_of_mpis_name("hwthread"), "pu");
  EXPECT_EQ(level_of_mpis_name("l2dcache"), "l2");
  EXPECT_EQ(level_of_mpis_name("host"), "node");
  EXPECT_EQ(level_of_mpis_name("NUMANode"), "numa");
  EXPECT_EQ(level_of_mpis_name("hwloc://cpu"), "");
  EXPECT_NE(level_of("cpu"), "package");
}

TEST(Names, of_devices_are_left_to_the_mpi) {
  for (const char* name : {"gpu", "gpu0", "pci:0000:03:00.0", "ib0", "bindset"})
    EXPECT_TRUE(is_mpis_own(name)) << name;
  for (const char* name : {"package", "core", "nonsense", "bindsets", "pu"})
    EXPECT_FALSE(is_mpis_own(name)) << name;
}

TEST(Names, of_all_levels_lead_back_to_them) {
  for (const char* level : {"node", "package", "die", "group", "numa", "l5", "l4", "l3", "l2", "l1",
                            "core", "pu", "switch", "rack"})
    EXPECT_EQ(level_of(type_of(level)), level);
}

TEST(Names, are_uris_where_hwloc_has_them) {
  EXPECT_EQ(uri_of("l3"), "hwloc://L3Cache");
  EXPECT_EQ(uri_of("node"), "hwloc://Machine");
  EXPECT_EQ(uri_of("switch0"), "Switch0");
  for (const char* level : {"node", "numa", "pu", "switch0"})
    EXPECT_EQ(level_of(uri_of(level)), level);
}

}  // namespace
}  // namespace terrace::communicators
