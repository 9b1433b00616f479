// SPDX-License-Identifier: BSD-3-Clause
// The summary of many measurements of one quantity.
#pragma once

#include <vector>

namespace terrace::measure {

/// A median, and the interval in which it lies with a probability of 95 %, by the ranks of the
/// values alone: of n values in order those with the numbers (n -+ 1.96 sqrt(n)) / 2 (Hoefler and
/// Belli, SC'15, section 4.2.3). Of fewer than six values that is the whole range.
struct Summary {
  double median = 0, low = 0, high = 0;
  int count = 0;
};

Summary summary_of(std::vector<double> values);

/// Whether values fall into two groups, as times do on a virtual machine whose cores move: a gap of
/// at least half of what is below it, a fifth of the values on either side. The value in its
/// middle; 0 if there is none.
double gap_in(std::vector<double> values);

}  // namespace terrace::measure
