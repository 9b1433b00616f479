// SPDX-License-Identifier: BSD-3-Clause
// Both formats have the same exponents, so that also numbers below the least normal one differ in
// nothing but the length of their fractions: 63 bits and 112.
#include "threadranks/types/binary128.hpp"

namespace terrace::threadranks {

namespace {

constexpr std::uint64_t kIntegerBit = std::uint64_t{1} << 63;
constexpr unsigned kExponentOfNoNumber = 0x7fff;
constexpr unsigned kExponentMask = 0x7fff;
constexpr int kBitsOfHigh = 48;  // of the fraction
constexpr int kDropped = 112 - 63;
constexpr int kKeptOfLow = 64 - kDropped;
constexpr std::uint64_t kDroppedMask = (std::uint64_t{1} << kDropped) - 1;
constexpr std::uint64_t kHalf = std::uint64_t{1} << (kDropped - 1);
constexpr std::uint64_t kQuiet = std::uint64_t{1} << 62;  // of an extended significand

Binary128 joined(unsigned sign_and_exponent, std::uint64_t fraction) {
  return {std::uint64_t{sign_and_exponent} << kBitsOfHigh | fraction >> kKeptOfLow,
          fraction << kDropped};
}

Extended extended(std::uint64_t significand, unsigned sign_and_exponent) {
  return {significand, static_cast<std::uint16_t>(sign_and_exponent)};
}

}  // namespace

Binary128 widened(const Extended& value) {
  const unsigned exponent = value.sign_and_exponent & kExponentMask;
  const std::uint64_t fraction = value.significand & ~kIntegerBit;
  const bool has_integer = fraction != value.significand;
  const bool is_refused = exponent != 0 && !has_integer;
  if (is_refused || (exponent == kExponentOfNoNumber && fraction != 0))
    return joined(value.sign_and_exponent | kExponentOfNoNumber, fraction | kQuiet);
  // With an integer, the least exponent stands for the same as the next.
  const unsigned one_more = exponent == 0 && has_integer;
  return joined(value.sign_and_exponent + one_more, fraction);
}

Extended rounded(const Binary128& value) {
  const auto sign_and_exponent = static_cast<unsigned>(value.high >> kBitsOfHigh);
  const unsigned exponent = sign_and_exponent & kExponentMask;
  const std::uint64_t high = value.high & ((std::uint64_t{1} << kBitsOfHigh) - 1);
  const std::uint64_t fraction = high << kKeptOfLow | value.low >> kDropped;
  const std::uint64_t dropped = value.low & kDroppedMask;
  if (exponent == kExponentOfNoNumber) {
    const bool is_nan = (fraction | dropped) != 0;
    return extended(kIntegerBit | fraction | (is_nan ? kQuiet : 0), sign_and_exponent);
  }
  const bool rounds_up = dropped > kHalf || (dropped == kHalf && fraction % 2 == 1);
  const std::uint64_t significand = (exponent == 0 ? 0 : kIntegerBit) | fraction;
  if (!rounds_up) return extended(significand, sign_and_exponent);
  // What carries into or out of the integer's bit is a power of two with the next exponent; after
  // the greatest, infinity.
  const bool carries = fraction == ~kIntegerBit;
  return carries ? extended(kIntegerBit, sign_and_exponent + 1)
                 : extended(significand + 1, sign_and_exponent);
}

}  // namespace terrace::threadranks
