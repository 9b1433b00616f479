// SPDX-License-Identifier: BSD-3-Clause
// A timeline: what each rank did when, and which rank it waited for, simulated or recorded. It is
// written as JSON that Perfetto and chrome://tracing open (docs/reference/timeline.md); `terrace
// draw timeline` draws it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/rank.hpp"

namespace terrace {

/// An activity of a rank between two times.
enum class Activity : std::uint8_t {
  call,      ///< a whole collective; what it consists of lies inside
  wait,      ///< for `peer`, if there is one
  copy,      ///< moves bytes, `peer`'s if there is one
  reduce,    ///< combines operands
  publish,   ///< tells others how far it is
  network,   ///< between nodes
  fallback,  ///< a call that the underlying MPI made
  started,   ///< a call from its start until it is over, whatever the rank does meanwhile
};
inline constexpr std::array<Activity, 8> kActivities = {
    Activity::call,    Activity::wait,    Activity::copy,     Activity::reduce,
    Activity::publish, Activity::network, Activity::fallback, Activity::started};

/// Calls of a rank that are started overlap each other and what its threads do, so they lie in
/// tracks, which take the numbers of threads from this one on, up to the last one.
inline constexpr std::uint32_t kFirstTrack = 500, kLastTrack = 1000;

const char* to_text(Activity activity);
std::optional<Activity> activity_from_text(std::string_view text);

/// Events of one thread of one rank lie inside each other or apart.
struct TimelineEvent {
  Rank rank = 0;
  std::uint32_t thread = 0;  ///< of the rank, or a track
  double begin_ns = 0;
  double end_ns = 0;
  Activity activity = Activity::call;
  std::optional<Rank> peer;  ///< whom it waits for, or whose memory it reads
  std::string level;         ///< across which level peer and rank meet, "l3"; "" if not known
  std::string label;         ///< for people: "out[0] = in[0] + in[1]", "allreduce.tree, 8 B"

  bool operator==(const TimelineEvent&) const = default;
};

struct Timeline {
  std::string title;  ///< "allreduce.tree of 8 B, 8 ranks on pack:2 core:4 pu:1, simulated"
  Rank ranks = 0;
  std::vector<std::uint32_t> nodes;  ///< that each rank is on; empty: all on one
  std::vector<TimelineEvent> events;

  bool operator==(const Timeline&) const = default;
};

/// Name by which a file says its format; the number grows when a release can no longer read the one
/// before.
inline constexpr const char* kTimelineFormat = "terrace timeline 1";

/// Chrome's trace format; draw/read_timeline.hpp reads it.
std::string to_json(const Timeline& timeline);

// The parts of it, for incremental writing: the beginning, events with a comma before each, the
// end.
std::string json_begin(const Timeline& timeline);
std::string to_json(const TimelineEvent& event, std::uint32_t node);
std::string json_end();

}  // namespace terrace
