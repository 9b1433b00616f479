// SPDX-License-Identifier: BSD-3-Clause
// Goal: a machine's words make a machine of the same shape. Method: machines there and back.
#include "machine/synthetic.hpp"

#include <gtest/gtest.h>

namespace terrace {
namespace {

TEST(Words, make_a_machine_of_the_same_shape) {
  for (const char* text :
       {"pack:1 numa:1 l3:1(size=33554432) l2:2(size=524288) core:1 pu:1",
        "pack:2 numa:2 l3:2(size=16777216) l2:4(size=524288) l1d:1(size=32768) core:1 pu:2",
        "pack:2 core:4 pu:1", "pack:1 l3:2 core:4 pu:2"}) {
    const Machine machine = read_machine_synthetic(text).value();
    const auto words = words_of(machine);
    ASSERT_TRUE(words) << text;
    EXPECT_EQ(read_machine_synthetic(words.value()).value().node, machine.node) << words.value();
  }
}

TEST(Words, of_parts_that_differ_are_refused) {
  Machine machine = read_machine_synthetic("pack:2 core:2 pu:1").value();
  Resource* package = &machine.node;
  while (package->level != "package") package = &package->children[0];
  package->children.pop_back();
  EXPECT_FALSE(words_of(machine));
}

}  // namespace
}  // namespace terrace
