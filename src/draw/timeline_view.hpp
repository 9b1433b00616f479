// SPDX-License-Identifier: BSD-3-Clause
// What is to be seen of a timeline, in a picture or on a page, and the path of its waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/timeline.hpp"
#include "draw/timeline.hpp"

namespace terrace {

/// A row of a picture: a thread of a rank.
using TimelineRow = std::pair<Rank, std::uint32_t>;

/// Events within the times asked for, counted from the timeline's first.
struct TimelineView {
  std::vector<TimelineEvent> events;  ///< outer ones before those inside them
  std::vector<TimelineRow> rows;
  double begin_ns = 0, end_ns = 0;
  std::size_t events_left_out = 0;
  Rank ranks_left_out = 0;
};

TimelineView view_of(const Timeline& timeline, const TimelinePicture& options);

/// Lists what the picture does not show, a sentence each.
std::vector<std::string> left_out(const TimelineView& view);

/// "rank 3", "rank 3, thread 1", "rank 3, started", "rank 3, started 2".
std::string row_name(const TimelineRow& row);
/// "1.25 us".
std::string time_text(double ns);
double duration_of(const TimelineEvent& event);

/// A rank on the path, from the wait of `event` that ended as it began, if there was one.
struct WaitPathPiece {
  static constexpr std::size_t kNoEvent = ~std::size_t{0};

  Rank rank = 0;
  double begin_ns = 0, end_ns = 0;
  std::size_t event = kNoEvent;  ///< index into `TimelineView::events`
};

/// Back from the last event: where its rank has waited for another, the path goes on at that one,
/// at the time at which the wait ended. In the order of time, each piece from the end of the one
/// before; threads of a rank but the first are not on it.
std::vector<WaitPathPiece> path_of_waits(const TimelineView& view);

}  // namespace terrace
