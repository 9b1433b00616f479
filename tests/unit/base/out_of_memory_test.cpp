// SPDX-License-Identifier: BSD-3-Clause
// Goal: a program that ends for want of memory says the limit that it met, and only that one.
#include "base/out_of_memory.hpp"

#include <gtest/gtest.h>

#include <string>

namespace terrace {
namespace {

constexpr std::size_t kMega = std::size_t{1} << 20;

std::string reason(const MemoryBounds& bounds, std::size_t bytes) {
  char text[256];
  write_reason(bounds, bytes, text, sizeof text);
  return text;
}

bool names(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

}  // namespace

TEST(OutOfMemory, names_the_limit_that_was_met) {
  MemoryBounds bounds;
  bounds.machine = 8000 * kMega;
  bounds.addresses = bounds.writable = 90 * kMega;
  EXPECT_TRUE(names(reason(bounds, 5 * kMega), "5242880 bytes more: the system refuses it"));
  bounds.writable_limit = 100 * kMega;
  EXPECT_TRUE(names(reason(bounds, 20 * kMega), "`ulimit -d` allows 104857600 bytes"));
  EXPECT_FALSE(names(reason(bounds, 2 * kMega), "ulimit"));
  bounds.addresses_limit = 91 * kMega;
  EXPECT_TRUE(names(reason(bounds, 64), "`ulimit -v` allows 95420416 bytes, of which 94371840"));
  EXPECT_TRUE(names(reason(bounds, 0), "no memory left: `ulimit -v`"));
}

TEST(OutOfMemory, is_not_said_of_what_no_machine_has) {
  MemoryBounds bounds;
  bounds.machine = 8000 * kMega;
  bounds.addresses_limit = 100 * kMega;
  const std::string text = reason(bounds, 9000 * kMega);
  EXPECT_TRUE(names(text, "no memory of 9437184000 bytes, as the machine has 8388608000")) << text;
  EXPECT_FALSE(names(text, "ulimit"));
}

}  // namespace terrace
