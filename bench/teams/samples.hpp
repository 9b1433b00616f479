// SPDX-License-Identifier: BSD-3-Clause
// From batches to statements: regimes, medians, intervals, verdicts. docs/reference/bench.md, Words
// of a verdict has the definitions of faster, not slower and met at floor.
#pragma once

#include <string>
#include <vector>

namespace terrace::bench {

/// One batch of calls of one contender.
struct Sample {
  double us = 0;      ///< per call, of the slowest rank
  double before = 0;  ///< one-way line latency just before, ns; 0: not probed
  double after = 0;
  bool disturbed = false;  ///< a rank lost its PU in between
};

/// The machine's behaviour: one latency, or two ("near" below the threshold, "far" above).
struct Regimes {
  double threshold = 0;      ///< ns; 0: one regime
  double low = 0, high = 0;  ///< ns, what was seen: 5 % and 95 % of the probes

  /// "near", "far", "single", or "" where the two probes of the sample disagree.
  std::string of(const Sample& sample) const;
};

/// Two regimes where the probes fall into two heaps at least twice apart with nothing between.
Regimes find_regimes(std::vector<double> probes);

/// A median with its 95 % interval, from order statistics.
struct Median {
  double value = 0, low = 0, high = 0;
  std::size_t count = 0;
};
Median median_of(std::vector<double> values);

/// faster, not slower, met at floor, slower, or unknown (too few samples).
std::string verdict(const Median& ratio, double us, double floor_us);

}  // namespace terrace::bench
