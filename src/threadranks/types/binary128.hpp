// SPDX-License-Identifier: BSD-3-Clause
// IEEE 754's binary128, which external32 has for a long double, and the extended format of x87, by
// integers alone: not every compiler has a type for both.
#pragma once

#include <cstdint>

namespace terrace::threadranks {

/// A number of 128 bits, from the top of `high`: a sign, 15 bits of exponent, 112 of fraction.
struct Binary128 {
  std::uint64_t high, low;
  friend bool operator==(const Binary128&, const Binary128&) = default;
};

/// The greatest bit of the significand is the integer that other formats do not write down.
struct Extended {
  std::uint64_t significand;
  std::uint16_t sign_and_exponent;
  friend bool operator==(const Extended&, const Extended&) = default;
};

/// Exact. NaNs become quiet, and keep their payload; so do patterns that x87 refuses to calculate
/// with.
Binary128 widened(const Extended& value);
/// Rounds to the nearest, of two the even one. NaNs become quiet, and keep the start of their
/// payload.
Extended rounded(const Binary128& value);

}  // namespace terrace::threadranks
