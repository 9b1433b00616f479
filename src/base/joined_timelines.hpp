// SPDX-License-Identifier: BSD-3-Clause
// Joins timelines of single ranks to one of all, though their nodes' clocks differ.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/rank.hpp"
#include "base/result.hpp"

namespace terrace {

/// The clock by which a rank records, and how far that of another rank is ahead of it.
struct RankClock {
  Rank rank = 0;
  std::string clock;          ///< equal for ranks with the same clock
  Rank reference = 0;         ///< itself, if no other clock is known
  std::int64_t ahead_ns = 0;  ///< the reference's time minus this rank's
};

/// A line of a timeline's events, which readers of timelines ignore.
std::string to_json(const RankClock& clock);

/// The timeline of the ranks whose files these are, rank 0's first, each with the line of its
/// clock; all times by rank 0's clock, and each clock a node. The error names a rank whose clock
/// was compared with that of rank 0 neither directly nor by others.
Result<std::string> join_timelines(const std::string& title, const std::vector<std::string>& files);

}  // namespace terrace
