// SPDX-License-Identifier: BSD-3-Clause
// Pictures of timelines: ranks down, time across, waits visible.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "base/timeline.hpp"

namespace terrace {

struct TimelinePicture {
  /// Span that is drawn; what lies outside is left out. Times are those that the picture shows,
  /// from its first event.
  double begin_ns = 0, end_ns = std::numeric_limits<double>::infinity();
  std::size_t most_events = 20'000;  ///< longest first; a sentence tells of the others
  Rank most_ranks = 64;
};

/// A line of characters per rank, and how long each worked and waited.
std::string picture_text(const Timeline& timeline, const TimelinePicture& options = {});

std::string svg_of(const Timeline& timeline, const TimelinePicture& options = {});

}  // namespace terrace
