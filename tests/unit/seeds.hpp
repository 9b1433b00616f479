// SPDX-License-Identifier: BSD-3-Clause
// Which seeds a test of random programs plays, as the environment says: TERRACE_SEED replays one,
// TERRACE_SWEEP plays so many times the usual number, from TERRACE_FIRST on.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>

namespace terrace {

inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// How many times more than usual a test is to do.
inline std::uint64_t sweep_factor() {
  return number_from("TERRACE_SWEEP", 1);
}

/// Plays each seed, until one fails.
inline void for_seeds(std::uint64_t usual, const std::function<void(std::uint64_t seed)>& play) {
  if (const std::uint64_t seed = number_from("TERRACE_SEED", 0)) return play(seed);
  const std::uint64_t first = number_from("TERRACE_FIRST", 1), end = first + usual * sweep_factor();
  for (std::uint64_t seed = first; seed < end && !testing::Test::HasFailure(); ++seed) play(seed);
}

}  // namespace terrace
