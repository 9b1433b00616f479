// SPDX-License-Identifier: BSD-3-Clause
// Numbers of x87 as binary128 and back, on every machine; where the compiler has types for both,
// compared with what it makes.
#include "threadranks/types/binary128.hpp"

#include <gtest/gtest.h>

#include <cfloat>
#include <cstring>
#include <random>

namespace terrace::threadranks {
namespace {

constexpr std::uint64_t kOne = std::uint64_t{1} << 63;  // the integer alone

// Goal: every kind of number is exactly the same number in the longer format, and comes back.
TEST(Binary128, has_every_number_of_x87) {
  const struct {
    Extended extended;
    Binary128 wide;
  } pairs[] = {
      {{0, 0}, {0, 0}},
      {{0, 0x8000}, {kOne, 0}},
      {{kOne, 0x3fff}, {0x3fff'0000'0000'0000, 0}},
      {{kOne | kOne >> 1, 0xbfff}, {0xbfff'8000'0000'0000, 0}},
      {{kOne | 1, 0x3fff}, {0x3fff'0000'0000'0000, 0x2'0000'0000'0000}},
      {{~std::uint64_t{0}, 0x7ffe}, {0x7ffe'ffff'ffff'ffff, 0xfffe'0000'0000'0000}},
      {{kOne, 1}, {0x0001'0000'0000'0000, 0}},
      {{1, 0}, {0, 0x2'0000'0000'0000}},
      {{kOne - 1, 0x8000}, {0x8000'ffff'ffff'ffff, 0xfffe'0000'0000'0000}},
      {{kOne, 0x7fff}, {0x7fff'0000'0000'0000, 0}},
      {{kOne, 0xffff}, {0xffff'0000'0000'0000, 0}},
      {{kOne | kOne >> 1 | 5, 0x7fff}, {0x7fff'8000'0000'0000, 0xa'0000'0000'0000}},
  };
  for (const auto& [extended, wide] : pairs) {
    EXPECT_EQ(widened(extended), wide) << std::hex << extended.significand;
    EXPECT_EQ(rounded(wide), extended) << std::hex << extended.significand;
  }
}

// Goal: halves go to the even neighbour, and carries reach the next exponent, the first normal
// number and infinity.
TEST(Binary128, is_rounded_to_the_nearest) {
  const std::uint64_t one = 0x3fff'0000'0000'0000, half = 0x1'0000'0000'0000;
  EXPECT_EQ(rounded({one, half}), (Extended{kOne, 0x3fff}));
  EXPECT_EQ(rounded({one, half + 1}), (Extended{kOne | 1, 0x3fff}));
  EXPECT_EQ(rounded({one, 3 * half}), (Extended{kOne | 2, 0x3fff}));
  EXPECT_EQ(rounded({one, 3 * half - 1}), (Extended{kOne | 1, 0x3fff}));
  const std::uint64_t all = ~std::uint64_t{0};
  EXPECT_EQ(rounded({0x3fff'ffff'ffff'ffff, all}), (Extended{kOne, 0x4000}));
  EXPECT_EQ(rounded({0x8000'ffff'ffff'ffff, all}), (Extended{kOne, 0x8001}));
  EXPECT_EQ(rounded({0x7ffe'ffff'ffff'ffff, all}), (Extended{kOne, 0x7fff}));
  EXPECT_EQ(rounded({0, half}), (Extended{0, 0}));
  EXPECT_EQ(rounded({kOne, half + 1}), (Extended{1, 0x8000}));
}

// Goal: what is no number stays none, though all that tells it from infinity were rounded away.
TEST(Binary128, keeps_what_is_no_number) {
  const Extended quiet{kOne | kOne >> 1, 0x7fff};
  EXPECT_EQ(rounded({0x7fff'0000'0000'0000, 1}), quiet);
  EXPECT_EQ(widened({kOne | 1, 0x7fff}), (Binary128{0x7fff'8000'0000'0000, 0x2'0000'0000'0000}));
  // x87 does not calculate with these; a number below the normal ones with an integer is normal.
  EXPECT_EQ(widened({1, 0x4000}), (Binary128{0x7fff'8000'0000'0000, 0x2'0000'0000'0000}));
  EXPECT_EQ(widened({0, 0xffff}), (Binary128{0xffff'8000'0000'0000, 0}));
  EXPECT_EQ(widened({kOne | 1, 0}), widened({kOne | 1, 1}));
}

#if LDBL_MANT_DIG == 64 && defined(__SIZEOF_FLOAT128__)
__extension__ using Quad = __float128;

Binary128 bits_of(Quad number) {
  Binary128 bits{};
  std::memcpy(&bits.low, &number, 8);
  std::memcpy(&bits.high, reinterpret_cast<const char*>(&number) + 8, 8);
  return bits;
}

// Goal: the bits that the compiler's own conversions give, for numbers of all magnitudes.
TEST(Binary128, is_what_the_compiler_has) {
  std::mt19937_64 random(20);
  for (int i = 0; i < 100'000; ++i) {
    Binary128 wide{random(), random()};
    if (i % 4 == 0) wide.high &= 0x8000'ffff'ffff'ffff;  // below the normal numbers
    if (i % 8 < 2) wide.low |= 0xfffe'0000'0000'0000;    // carries
    if (i % 3 == 0) wide.low = wide.low >> 48 << 48;     // halves
    if ((wide.high >> 48 & 0x7fff) == 0x7fff) continue;  // no numbers
    Quad quad;
    std::memcpy(&quad, &wide.low, 8);
    std::memcpy(reinterpret_cast<char*>(&quad) + 8, &wide.high, 8);
    const auto number = static_cast<long double>(quad);
    const Extended ours = rounded(wide);
    EXPECT_EQ(std::memcmp(&ours, &number, 10), 0) << std::hex << wide.high << ' ' << wide.low;
    EXPECT_EQ(widened(ours), bits_of(number)) << std::hex << ours.significand;
  }
}
#endif

}  // namespace
}  // namespace terrace::threadranks
