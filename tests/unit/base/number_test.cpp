// SPDX-License-Identifier: BSD-3-Clause
// Numbers in text: all of it, in range, or nothing.
#include "base/number.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace terrace {
namespace {

TEST(Number, is_all_of_the_text) {
  EXPECT_EQ(number_from_text<std::uint32_t>("0"), 0u);
  EXPECT_EQ(number_from_text<std::uint32_t>("4294967295"), 4294967295u);
  EXPECT_EQ(number_from_text<std::uint64_t>("4294967296"), 4294967296u);
  for (const char* text : {"", " 1", "1 ", "1x", "-1", "+1", "0x1", "1.0", "1e3"})
    EXPECT_EQ(number_from_text<std::uint32_t>(text), std::nullopt) << "'" << text << "'";
  EXPECT_EQ(number_from_text<std::int32_t>("2147483647"), 2147483647);
  EXPECT_EQ(number_from_text<std::int32_t>("-1"), std::nullopt) << "unless less than 0 is allowed";
}

TEST(Number, fits_its_type_and_its_range) {
  EXPECT_EQ(number_from_text<std::uint32_t>("4294967296"), std::nullopt);
  EXPECT_EQ(number_from_text<std::uint8_t>("256"), std::nullopt);
  EXPECT_EQ(number_from_text<std::uint32_t>("1", 2, 4), std::nullopt);
  EXPECT_EQ(number_from_text<std::uint32_t>("2", 2, 4), 2u);
  EXPECT_EQ(number_from_text<std::uint32_t>("4", 2, 4), 4u);
  EXPECT_EQ(number_from_text<std::uint32_t>("5", 2, 4), std::nullopt);
}

}  // namespace
}  // namespace terrace
