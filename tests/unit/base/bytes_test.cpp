// SPDX-License-Identifier: BSD-3-Clause
// Bytes as people write them.
#include "base/bytes.hpp"

#include <gtest/gtest.h>

namespace terrace {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{8} << 30;

TEST(Bytes, have_units) {
  EXPECT_EQ(bytes_from_text("0", kMost), 0u);
  EXPECT_EQ(bytes_from_text("64", kMost), 64u);
  EXPECT_EQ(bytes_from_text("64B", kMost), 64u);
  EXPECT_EQ(bytes_from_text("4K", kMost), 4096u);
  EXPECT_EQ(bytes_from_text("4KiB", kMost), 4096u);
  EXPECT_EQ(bytes_from_text("3MiB", kMost), 3u << 20);
  EXPECT_EQ(bytes_from_text("8G", kMost), kMost);
}

TEST(Bytes, that_are_too_many_or_none_are_refused) {
  for (const char* text : {"", "K", "-1", "1.5K", "4 K", "4k", "4BB", "4KB", "4iB", "9G",
                           "8589934593", "18446744073709551616", "17179869184G"})
    EXPECT_EQ(bytes_from_text(text, kMost), std::nullopt) << "'" << text << "'";
}

}  // namespace
}  // namespace terrace
