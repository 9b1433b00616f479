// SPDX-License-Identifier: BSD-3-Clause
// The time to pass a value from core to core through memory that both use again and again,
// interpolated between measured points. Only for this folder.
#pragma once

#include "model/machine_model.hpp"

namespace terrace::model {

/// The way in which a value is passed on.
struct Passage {
  double bytes = 0;
  double span = 0;       ///< as in ScratchCopy
  bool streams = false;  ///< likewise
};

/// Nanoseconds for all of a value's lines.
struct PassageCost {
  double write = 0, read = 0;
};

/// Whether something was measured at this distance.
inline bool knows_passages(const Distance& distance) {
  return !distance.scratch.empty();
}

/// Only where something was. Linear between measured lengths, and between measured spans in their
/// logarithm; beyond the longest, as much for a line as of that; below the shortest, from a single
/// line on, which takes `ownership` and `modified`.
PassageCost passage_cost(const Distance& distance, const Passage& passage, double line_bytes);

}  // namespace terrace::model
