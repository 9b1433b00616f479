// SPDX-License-Identifier: BSD-3-Clause
// Measured calls, as `terrace bench --json` and `./dev bench` write them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "base/rank.hpp"
#include "refusals.hpp"

namespace terrace {

struct MeasuredCall {
  std::string collective, plan;  ///< the plan that ran; "": not known
  std::string reach;             ///< of the preload; "": a team of threads
  std::size_t bytes = 0;         ///< of a rank's vector, or of each of its blocks
  Rank ranks = 0;
  double us = 0;          ///< the median of all that the file has for this call; 0: none was clean
  bool is_direct = true;  ///< peers reached the buffers
};

/// Each call once, in the order in which the file has them. A file is an object with an array
/// "points", or one point a line. Refuses as `verb` does what is neither.
std::vector<MeasuredCall> measured_calls(const std::string& path, const Verb& verb);

/// Whether what was predicted is more than 20 % from what was measured, if both are known.
inline bool are_apart(double predicted_ns, double measured_ns) {
  constexpr double kApart = 1.2;
  const auto [less, more] = std::minmax(predicted_ns, measured_ns);
  return less > 0 && more > kApart * less;
}

}  // namespace terrace
