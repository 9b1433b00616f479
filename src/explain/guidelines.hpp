// SPDX-License-Identifier: BSD-3-Clause
// The performance guidelines of Hunold and Traff: no collective should take longer than others that
// could do its work. Checks by predictions whether the plans that Terrace chooses keep them.
#pragma once

#include <string_view>
#include <vector>

#include "choose/chooser.hpp"

namespace terrace::explain {

/// One guideline on one length.
struct Guided {
  std::string_view guideline;  ///< "bcast <= scatter + allgather"
  std::size_t bytes = 0;       ///< of the whole vector, or of each block: where blocks are compared
  double ratio = 0;            ///< what the first takes of what the others take; above 1: missed
};

/// All guidelines that apply to this length, at least 8 bytes. Those with a block for each rank are
/// about a vector of `bytes` bytes cut among the ranks, at least 8 each. Errors: those of
/// `predict`.
Result<std::vector<Guided>> guided(const RankPlatform& platform, bool is_direct, std::size_t bytes);

/// `ranks` ranks on a node of the machine, evenly over its cores, or side by side from the first.
/// Errors: argument, if it has fewer cores.
Result<std::vector<Locality>> some_places(const std::vector<Locality>& all_cores, Rank ranks,
                                          bool is_spread);

}  // namespace terrace::explain
