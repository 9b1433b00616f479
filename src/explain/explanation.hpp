// SPDX-License-Identifier: BSD-3-Clause
// Why an algorithm is the fastest: all ways to run a call with their predicted times, where the
// fastest spends its time, where the others lose, and at which sizes the answer changes.
#pragma once

#include <optional>

#include "choose/chooser.hpp"

namespace terrace::explain {

struct Explanation {
  std::vector<Prediction> candidates;  ///< the fastest first; of each algorithm its fastest way
  /// The prediction that a team's chooser takes; none where ranks are on several nodes: such calls
  /// are the MPI's.
  std::optional<Prediction> chosen;
  std::vector<std::string> left_out;  ///< algorithms that do not fit, and why not
};

/// Errors: unsupported where no algorithm fits; those of `predict`.
Result<Explanation> explain(const Predicted&, const RankPlatform&);

/// The algorithm predicted to be the fastest from this many bytes on, up to the next.
struct Change {
  std::size_t from_bytes = 0;
  std::string_view algorithm;
};

/// Among sizes from 8 bytes to 16 MiB, each twice the one before, or four times where ranks are
/// many; the first begins at 8.
Result<std::vector<Change>> changes_of(Predicted, const RankPlatform&);

/// Says what the path of `slower` spends more than that of `faster`, most first: "+210.0 ns for
/// first lines of values (diagonal)". At most three, and the one on which it spends less, if any.
std::string difference(const model::Cost& slower, const model::Cost& faster,
                       const model::MachineModel& machine);

/// A path's time in one place: in the core itself, at a distance, or on a network.
struct CostShare {
  std::string place;
  double ns = 0;
  std::vector<model::CostPart> parts;  ///< the largest first
};

/// Lists shares from near to far.
std::vector<CostShare> shares_of(const model::Cost&, const model::MachineModel&);

/// Half a sentence on a part of a path: "first lines of values".
const char* reason(model::Cause);

}  // namespace terrace::explain
