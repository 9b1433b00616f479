// SPDX-License-Identifier: BSD-3-Clause
// Hashes are sent between processes, so their values are fixed.
#include "base/hash.hpp"

#include <gtest/gtest.h>

namespace terrace {
namespace {

TEST(Hash, is_fnv_1a) {
  EXPECT_EQ(hash_of(""), 0xcbf29ce484222325u);
  EXPECT_EQ(hash_of("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(hash_of("foobar"), 0x85944171f73967e8u);
}

}  // namespace
}  // namespace terrace
