// SPDX-License-Identifier: BSD-3-Clause
// Draws timelines. Calls are pale boxes around their events; a wait is hatched, and a line leads to
// its end from the rank that was waited for.
#include "draw/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "draw/svg.hpp"
#include "draw/timeline_view.hpp"

namespace terrace {

namespace {

using Row = TimelineRow;

struct Look {
  char letter;
  const char* colour;
  const char* sentence;
};

Look look_of(Activity activity) {
  switch (activity) {
    case Activity::call:
      return {'#', "#e8eaed", "in a collective"};
    case Activity::wait:
      return {'.', "#f7c9c0", "waits"};
    case Activity::copy:
      return {'c', "#9cc4e8", "copies"};
    case Activity::reduce:
      return {'r', "#f5cf73", "combines"};
    case Activity::publish:
      return {'p', "#b9a3d9", "tells others how far it is"};
    case Activity::network:
      return {'n', "#8fcfae", "sends or receives between nodes"};
    case Activity::fallback:
      return {'m', "#c9b79c", "in a call that the MPI makes"};
    case Activity::started:
      return {'s', "#d4e4c9", "has started a call"};
  }
  return {'?', "#ffffff", ""};
}

bool is_whole_call(Activity activity) {
  return activity == Activity::call || activity == Activity::fallback ||
         activity == Activity::started;
}

std::string title_of(const Timeline& timeline, const TimelineView& view) {
  return (timeline.title.empty() ? "timeline" : timeline.title) + ": " +
         time_text(view.end_ns - view.begin_ns) +
         (view.begin_ns > 0 ? " from " + time_text(view.begin_ns) + " on" : "");
}

std::set<Activity> activities_in(const TimelineView& view) {
  std::set<Activity> found;
  for (const TimelineEvent& event : view.events) found.insert(event.activity);
  return found;
}

bool has_inside(const std::vector<TimelineEvent>& events, std::size_t index) {
  const TimelineEvent& outer = events[index];
  for (std::size_t i = index + 1; i < events.size() && events[i].begin_ns < outer.end_ns; ++i)
    if (events[i].rank == outer.rank && events[i].thread == outer.thread) return true;
  return false;
}

class Drawing {
 public:
  Drawing(const Timeline& timeline, TimelineView view) : view_(std::move(view)) {
    title_ = title_of(timeline, view_);
    for (const Row& row : view_.rows) {
      gutter_ = std::max(gutter_, width_of(row_name(row)) + 12);
      const std::size_t index = row_at_.size();
      row_at_[row] = index;
    }
  }

  std::string document() {
    svg_.text(title_, {kMargin, kMargin + 13}, "font-size=\"15\" font-weight=\"bold\"");
    draw_rows();
    draw_axis();
    for (std::size_t i = 0; i < view_.events.size(); ++i) draw_event(i);
    for (const TimelineEvent& event : view_.events) draw_cause(event);
    const double height = draw_legend();
    return svg_.document(x_of(view_.end_ns) + kMargin + 30, height + kMargin);
  }

 private:
  static constexpr double kMargin = 14, kTop = 62, kRow = 34, kBox = 26, kWidth = 1000;

  double x_of(double ns) const {
    return kMargin + gutter_ + (ns - view_.begin_ns) / (view_.end_ns - view_.begin_ns) * kWidth;
  }
  double y_of(const Row& row) const { return kTop + kRow * static_cast<double>(row_at_.at(row)); }
  double bottom() const { return kTop + kRow * static_cast<double>(view_.rows.size()); }

  void draw_rows() {
    for (const Row& row : view_.rows) {
      svg_.begin("rank", row_name(row));
      svg_.text(row_name(row), {kMargin, y_of(row) + 18});
      svg_.line({x_of(view_.begin_ns), y_of(row) + kBox + 3},
                {x_of(view_.end_ns), y_of(row) + kBox + 3}, "stroke=\"#e3e6ea\"");
      svg_.end();
    }
  }

  /// About ten ticks at round numbers.
  void draw_axis() {
    const double span = view_.end_ns - view_.begin_ns;
    double step = std::pow(10.0, std::floor(std::log10(span / 4)));
    for (const double factor : {2.0, 5.0, 10.0})
      if (span / step > 12) step = std::pow(10.0, std::floor(std::log10(span / 4))) * factor;
    for (double tick = std::ceil(view_.begin_ns / step) * step; tick <= view_.end_ns + step / 1e6;
         tick += step) {
      svg_.line({x_of(tick), kTop - 8}, {x_of(tick), bottom()}, "stroke=\"#edf0f3\"");
      svg_.text(time_text(tick), {x_of(tick), kTop - 13},
                std::string(kCentred) + " font-size=\"11\" fill=\"" + kFaint + '"');
    }
  }

  static std::string words_of(const TimelineEvent& event) {
    std::string words = look_of(event.activity).sentence;
    if (event.peer)
      words += (event.activity == Activity::wait ? " for rank " : ", rank ") +
               std::to_string(*event.peer);
    return words;
  }

  static std::string tooltip_of(const TimelineEvent& event) {
    return "rank " + std::to_string(event.rank) + ' ' + words_of(event) +
           (event.level.empty() ? "" : " (" + event.level + ")") +
           (event.label.empty() ? "" : "\n" + event.label) + "\n" + time_text(event.begin_ns) +
           " to " + time_text(event.end_ns) + ", " + time_text(duration_of(event));
  }

  /// Returns the text of a box, if there is room.
  static std::string letters_of(const TimelineEvent& event) {
    if (event.activity == Activity::wait)
      return event.peer ? "wait " + std::to_string(*event.peer) : "wait";
    return event.label.empty() ? to_text(event.activity) : event.label;
  }

  void draw_event(std::size_t index) {
    const TimelineEvent& event = view_.events[index];
    const bool is_outer = is_whole_call(event.activity);
    const double x = x_of(event.begin_ns), width = x_of(event.end_ns) - x;
    const double inset = is_outer ? 0 : 4;
    const double y = y_of({event.rank, event.thread}) + inset;
    svg_.begin(to_text(event.activity), tooltip_of(event));
    svg_.box({x, y}, width, kBox - 2 * inset,
             "fill=\"" + std::string(look_of(event.activity).colour) + "\"" +
                 (width > 3 ? " stroke=\"#80868b\" stroke-width=\"0.5\"" : ""));
    if (event.activity == Activity::wait) hatch({x, y}, width, kBox - 2 * inset);
    if (!is_outer || !has_inside(view_.events, index))
      svg_.text(fitted(letters_of(event), width - 4, 10), {x + width / 2, y + kBox / 2 - inset + 4},
                std::string(kCentred) + " font-size=\"10\"");
    svg_.end();
  }

  void hatch(Point corner, double width, double height) {
    constexpr double kStep = 9;
    for (double x = kStep; x + height / 2 < width; x += kStep)
      svg_.line({corner.x + x, corner.y + height}, {corner.x + x + height / 2, corner.y},
                "stroke=\"#e2a195\" stroke-width=\"0.8\"");
  }

  /// Draws a line from the rank that a wait was for to where the wait ends, if that is wide enough
  /// to be seen.
  void draw_cause(const TimelineEvent& event) {
    const bool is_seen = x_of(event.end_ns) - x_of(event.begin_ns) > 3;
    if (event.activity != Activity::wait || !event.peer || !is_seen) return;
    const auto peer = row_at_.find({*event.peer, 0});
    if (peer == row_at_.end() || *event.peer == event.rank) return;
    const double x = x_of(event.end_ns), here = y_of({event.rank, event.thread}),
                 there = y_of({*event.peer, 0});
    const bool is_above = there < here;
    svg_.begin("cause", "rank " + std::to_string(event.rank) + " has waited for rank " +
                            std::to_string(*event.peer));
    svg_.arrow({x, is_above ? there + kBox : there}, {x, is_above ? here + 4 : here + kBox - 4},
               "#b3412e", "stroke-width=\"1\"");
    svg_.end();
  }

  double draw_legend() {
    double x = kMargin, y = bottom() + 8;
    for (const Activity activity : activities_in(view_)) {
      const Look look = look_of(activity);
      const double width = width_of(look.sentence) + 40;
      if (x + width > kMargin + gutter_ + kWidth) {
        x = kMargin;
        y += 20;
      }
      svg_.box({x, y}, 18, 13,
               "fill=\"" + std::string(look.colour) + "\" stroke=\"#80868b\" stroke-width=\"0.5\"");
      if (activity == Activity::wait) hatch({x, y}, 18, 13);
      svg_.text(look.sentence, {x + 24, y + 11});
      x += width;
    }
    y += 22;
    if (activities_in(view_).count(Activity::wait) > 0) {
      svg_.arrow({kMargin + 9, y}, {kMargin + 9, y + 15}, "#b3412e");
      svg_.text("ends a wait: from the rank that was waited for", {kMargin + 24, y + 12});
      y += 20;
    }
    for (const std::string& sentence : left_out(view_)) {
      svg_.text(sentence, {kMargin, y + 12}, "font-weight=\"bold\"");
      y += 20;
    }
    return y;
  }

  TimelineView view_;
  std::string title_;
  double gutter_ = 60;
  std::map<Row, std::size_t> row_at_;
  Svg svg_;
};

// ---------------------------------------------------------------------------------------------
// Letters.

/// Time spent in each activity; what lies inside something is its own, not the outer one's.
struct Shares {
  double working_ns = 0, waiting_ns = 0, longest_wait_ns = 0;
  std::optional<Rank> waited_for;
};

class Lines {
 public:
  Lines(const Timeline& timeline, TimelineView view) : view_(std::move(view)) {
    text_ = title_of(timeline, view_) + "\none character is " +
            time_text((view_.end_ns - view_.begin_ns) / kLetters) + "\n\n";
    std::size_t width = 0;
    for (const Row& row : view_.rows) width = std::max(width, row_name(row).size());
    std::map<Row, std::string> letters;
    for (const Row& row : view_.rows) letters[row] = std::string(kLetters, ' ');
    for (const TimelineEvent& event : view_.events) put(event, letters.at(row_of(event)));
    for (const Row& row : view_.rows) {
      const std::string name = row_name(row);
      text_ += name + std::string(width - name.size() + 2, ' ') + '|' + letters[row] + "|\n";
    }
    text_ += '\n';
    for (const Activity activity : activities_in(view_))
      text_ += std::string(1, look_of(activity).letter) + "  " + look_of(activity).sentence + '\n';
    add_shares(width);
    for (const std::string& sentence : left_out(view_)) text_ += sentence + '\n';
  }

  const std::string& text() const { return text_; }

 private:
  static constexpr std::size_t kLetters = 96;

  static Row row_of(const TimelineEvent& event) { return {event.rank, event.thread}; }

  /// Inner events come later, over their outer one. Every event has a letter, if no later one takes
  /// it.
  void put(const TimelineEvent& event, std::string& line) const {
    const double scale = kLetters / (view_.end_ns - view_.begin_ns);
    const auto begin = static_cast<std::size_t>((event.begin_ns - view_.begin_ns) * scale);
    const auto end =
        static_cast<std::size_t>(std::ceil((event.end_ns - view_.begin_ns) * scale - 1e-9));
    for (std::size_t i = std::min(begin, kLetters - 1);
         i < std::min(std::max(end, begin + 1), kLetters); ++i)
      line[i] = look_of(event.activity).letter;
  }

  void add_shares(std::size_t width) {
    std::map<Row, Shares> shares;
    for (const TimelineEvent& event : view_.events) {
      Shares& of = shares[row_of(event)];
      if (event.activity != Activity::wait) {
        if (!is_whole_call(event.activity)) of.working_ns += duration_of(event);
        continue;
      }
      of.waiting_ns += duration_of(event);
      if (duration_of(event) < of.longest_wait_ns) continue;
      of.longest_wait_ns = duration_of(event);
      of.waited_for = event.peer;
    }
    text_ += '\n';
    for (const Row& row : view_.rows) {
      if (row.second >= kFirstTrack) continue;
      const Shares& of = shares[row];
      const std::string name = row_name(row);
      text_ += name + std::string(width - name.size() + 2, ' ') + "works " +
               time_text(of.working_ns) + ", waits " + time_text(of.waiting_ns);
      if (of.longest_wait_ns > 0)
        text_ += ", longest " + time_text(of.longest_wait_ns) +
                 (of.waited_for ? " for rank " + std::to_string(*of.waited_for) : "");
      text_ += '\n';
    }
  }

  TimelineView view_;
  std::string text_;
};

}  // namespace

std::string picture_text(const Timeline& timeline, const TimelinePicture& options) {
  return Lines(timeline, view_of(timeline, options)).text();
}

std::string svg_of(const Timeline& timeline, const TimelinePicture& options) {
  return Drawing(timeline, view_of(timeline, options)).document();
}

}  // namespace terrace
