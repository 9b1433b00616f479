// SPDX-License-Identifier: BSD-3-Clause
// Cuts timelines to what is asked for, and follows waits backwards.
#include "draw/timeline_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <set>

namespace terrace {

namespace {

void keep_longest(TimelineView& view, std::size_t most) {
  if (view.events.size() <= most) return;
  view.events_left_out = view.events.size() - most;
  const auto is_longer = [](const TimelineEvent& a, const TimelineEvent& b) {
    return duration_of(a) > duration_of(b);
  };
  std::stable_sort(view.events.begin(), view.events.end(), is_longer);
  view.events.resize(most);
}

/// The waits of each rank for others, by their ends.
class WaitPath {
 public:
  explicit WaitPath(const TimelineView& view) : view_(view) {
    for (std::size_t i = 0; i < view.events.size(); ++i) {
      const TimelineEvent& event = view.events[i];
      if (event.thread != 0) continue;
      const auto begun = begins_.try_emplace(event.rank, event.begin_ns).first;
      begun->second = std::min(begun->second, event.begin_ns);
      const bool is_for_other = event.activity == Activity::wait && event.peer &&
                                *event.peer != event.rank && event.end_ns > event.begin_ns;
      if (is_for_other) waits_[event.rank].push_back(i);
    }
    for (auto& [rank, waits] : waits_)
      std::stable_sort(waits.begin(), waits.end(), [&view](std::size_t a, std::size_t b) {
        return view.events[a].end_ns < view.events[b].end_ns;
      });
  }

  std::vector<WaitPathPiece> find() && {
    const TimelineEvent* last = nullptr;
    for (const TimelineEvent& event : view_.events)
      if (event.thread == 0 && (last == nullptr || event.end_ns > last->end_ns)) last = &event;
    std::vector<WaitPathPiece> path;
    if (last == nullptr) return path;
    Rank rank = last->rank;
    double at = last->end_ns;
    for (bool ends = false; !ends;) {
      const std::size_t wait = take_wait(rank, at);
      ends = wait == WaitPathPiece::kNoEvent;
      const double begin = ends ? std::min(at, begins_.at(rank)) : view_.events[wait].end_ns;
      path.push_back({rank, begin, at, wait});
      if (!ends) rank = *view_.events[wait].peer;
      at = begin;
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

 private:
  /// The rank's last wait that has ended by then, for a rank that has events. Each is taken once:
  /// clocks may make two ranks wait for each other.
  std::size_t take_wait(Rank rank, double at) {
    std::vector<std::size_t>& waits = waits_[rank];
    while (!waits.empty()) {
      const std::size_t wait = waits.back();
      const TimelineEvent& event = view_.events[wait];
      waits.pop_back();
      if (event.end_ns <= at && begins_.count(*event.peer) != 0) return wait;
    }
    return WaitPathPiece::kNoEvent;
  }

  const TimelineView& view_;
  std::map<Rank, double> begins_;
  std::map<Rank, std::vector<std::size_t>> waits_;
};

}  // namespace

std::string time_text(double ns) {
  static constexpr std::array<std::pair<double, const char*>, 4> kUnits = {
      {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}}};
  for (const auto& [size, name] : kUnits)
    if (std::abs(ns) >= size || size == 1) {
      char text[40];
      std::snprintf(text, sizeof text, "%.4g %s", ns / size, name);
      return text;
    }
  return "";
}

double duration_of(const TimelineEvent& event) {
  return event.end_ns - event.begin_ns;
}

TimelineView view_of(const Timeline& timeline, const TimelinePicture& options) {
  TimelineView view;
  double first = std::numeric_limits<double>::infinity();
  for (const TimelineEvent& event : timeline.events) first = std::min(first, event.begin_ns);
  const Rank ranks = std::min(timeline.ranks, options.most_ranks);
  view.ranks_left_out = timeline.ranks - ranks;
  std::set<TimelineRow> rows;
  for (Rank rank = 0; rank < ranks; ++rank) rows.insert({rank, 0});
  view.begin_ns = options.begin_ns;
  for (TimelineEvent event : timeline.events) {
    event.begin_ns -= first;
    event.end_ns -= first;
    if (event.rank >= ranks || event.end_ns <= options.begin_ns || event.begin_ns >= options.end_ns)
      continue;
    event.begin_ns = std::max(event.begin_ns, options.begin_ns);
    event.end_ns = std::min(event.end_ns, options.end_ns);
    view.end_ns = std::max(view.end_ns, event.end_ns);
    rows.insert({event.rank, event.thread});
    view.events.push_back(std::move(event));
  }
  view.rows.assign(rows.begin(), rows.end());
  view.end_ns = std::max(view.end_ns, view.begin_ns + 1);
  keep_longest(view, options.most_events);
  std::stable_sort(
      view.events.begin(), view.events.end(), [](const TimelineEvent& a, const TimelineEvent& b) {
        return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
      });
  return view;
}

std::string row_name(const TimelineRow& row) {
  const std::string rank = "rank " + std::to_string(row.first);
  if (row.second == kFirstTrack) return rank + ", started";
  if (row.second > kFirstTrack)
    return rank + ", started " + std::to_string(row.second - kFirstTrack + 1);
  return rank + (row.second > 0 ? ", thread " + std::to_string(row.second) : "");
}

std::vector<std::string> left_out(const TimelineView& view) {
  std::vector<std::string> sentences;
  if (view.ranks_left_out > 0)
    sentences.push_back("Left out: the last " + std::to_string(view.ranks_left_out) + " ranks.");
  if (view.events_left_out > 0)
    sentences.push_back("Left out: the " + std::to_string(view.events_left_out) +
                        " shortest events; --from and --to show a part with all of them.");
  return sentences;
}

std::vector<WaitPathPiece> path_of_waits(const TimelineView& view) {
  return WaitPath(view).find();
}

}  // namespace terrace
