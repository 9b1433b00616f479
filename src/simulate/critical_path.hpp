// SPDX-License-Identifier: BSD-3-Clause
// The critical path of a simulated call: what its last rank to return waited for, what that waited
// for, and so on, back to the beginning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "simulate/outcome.hpp"

namespace terrace::simulate {

/// The kind of a piece of the path.
enum class PathPart : std::uint8_t {
  enter,    ///< the rank begins the call
  look,     ///< looks for what has come already
  signal,   ///< from the end of the step that was waited for until the rank has seen its signal
  message,  ///< likewise, until its message is there
  work,     ///< the step itself
  publish,  ///< tells others before it goes on
  leave,    ///< after the last step, until the rank returns
};
const char* to_text(PathPart part);

struct PathPiece {
  static constexpr std::size_t kNoStep = std::numeric_limits<std::size_t>::max();

  PathPart part = PathPart::work;
  Rank rank = 0;               ///< whose step it is; of signals and messages, the one who waits
  std::size_t step = kNoStep;  ///< index into `SimulationOutcome::last_steps`
  double begin = 0, end = 0;
};

/// In the order of time, each from the end of the one before, from the beginning of a call to the
/// last return; pieces that take no time are left out. `outcome` has the steps of all ranks.
std::vector<PathPiece> critical_path(const SimulationOutcome& outcome);

}  // namespace terrace::simulate
