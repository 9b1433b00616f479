// SPDX-License-Identifier: BSD-3-Clause
// A plan as a picture: a column per rank below the boxes of its groups, a band per round, and
// arrows from the source of a value to the box of the rank that takes it. If many take from many,
// the arrows become a bar: a dot at each source, an arrow to each taker.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "draw/plan.hpp"
#include "draw/rounds.hpp"
#include "draw/svg.hpp"

namespace terrace {

namespace {

constexpr double kMargin = 14, kGutter = 64, kTitle = 26, kGroupRow = 22, kRankRow = 24;
constexpr double kBoxHeight = 22, kBarStep = 11, kTileStrip = 5, kLegendRow = 19;
constexpr double kLeastBand = 40, kMostBand = 110;

/// Arrows from each of some ranks to each of others.
struct Bundle {
  std::vector<Rank> from, to;
  std::size_t column_begin = 0, column_end = 0;  ///< of all of them
  std::size_t lane = 0;                          ///< of bars that would lie on each other
  bool is_bar() const {
    const std::size_t arrows = from.size() * to.size();
    return from.size() > 1 && to.size() > 1 ? arrows >= 6 : arrows >= 12;
  }
};

/// A round's acts and arrows, with their place.
struct Band {
  std::vector<const Act*> acts;
  std::vector<Bundle> taken, stored;
  double top = 0, boxes = 0, bottom = 0;  ///< y of the band, of its boxes, of the next band
};

/// Counts lanes while giving each bar the first in which nothing lies yet.
std::size_t assign_lanes(std::vector<Bundle>& bundles) {
  std::vector<std::size_t> ends;  // by lane
  for (Bundle& bundle : bundles) {
    if (!bundle.is_bar()) continue;
    while (bundle.lane < ends.size() && ends[bundle.lane] > bundle.column_begin) ++bundle.lane;
    if (bundle.lane == ends.size()) ends.push_back(0);
    ends[bundle.lane] = bundle.column_end;
  }
  return ends.size();
}

class Drawing {
 public:
  Drawing(const Plan& plan, const Hierarchy& hierarchy, const PlanPicture& options)
      : plan_(plan), hierarchy_(hierarchy), options_(options), acts_(acts_of(plan)) {
    all_rounds_ = round_count(acts_);
    place_columns();
    fill_bands();
    find_distances();
    place_bands();
  }

  std::string document() {
    draw_title();
    draw_groups();
    draw_columns();
    for (std::size_t round = 0; round < bands_.size(); ++round) draw_band(round);
    if (options_.shows_waits) draw_waits();
    const double height = draw_legend(end_of_bands() + 8);
    return svg_.document(width_, height + kMargin);
  }

 private:
  // -------------------------------------------------------------------------------------------
  // Places.

  void place_columns() {
    const std::vector<Rank> order = order_in(hierarchy_);
    column_.resize(order.size());
    for (std::size_t column = 0; column < order.size(); ++column) column_[order[column]] = column;
    column_width_ = 44;
    for (const Act& act : acts_)
      column_width_ = std::max(column_width_, width_of(label_of(act, plan_), 11) + 22);
    width_ =
        std::max(kMargin * 2 + kGutter + column_width_ * static_cast<double>(order.size()), 680.0);
    while (!collect_groups(group_rows_ + 1).empty()) ++group_rows_;
  }

  double x_of(Rank rank) const {
    return kMargin + kGutter + (static_cast<double>(column_[rank]) + 0.5) * column_width_;
  }
  double top_of_columns() const {
    return kMargin + kTitle + kGroupRow * static_cast<double>(group_rows_);
  }
  double end_of_bands() const {
    return bands_.empty() ? top_of_columns() + kRankRow : bands_.back().bottom;
  }

  void fill_bands() {
    bands_.resize(std::min(all_rounds_, options_.most_rounds));
    std::vector<std::map<std::vector<Rank>, std::vector<Rank>>> takers(bands_.size()),
        givers(bands_.size());
    for (const Act& act : acts_) {
      if (act.round > bands_.size()) continue;
      const std::size_t band = act.round - 1;
      bands_[band].acts.push_back(&act);
      add(act.takes_from, act.step->by, takers[band]);
      add(act.stores_to, act.step->by, givers[band]);
    }
    for (std::size_t band = 0; band < bands_.size(); ++band) {
      for (const auto& [from, to] : takers[band]) bands_[band].taken.push_back(bundle(from, to));
      for (const auto& [to, from] : givers[band]) bands_[band].stored.push_back(bundle(from, to));
    }
  }

  /// Adds a reader. Ranks of a group who all read each other take from the same ranks, themselves
  /// included.
  void add(std::vector<Rank> others, Rank by, std::map<std::vector<Rank>, std::vector<Rank>>& of) {
    if (others.empty()) return;
    if (others.size() > 1) {
      others.insert(std::lower_bound(others.begin(), others.end(), by), by);
    }
    of[others].push_back(by);
  }

  /// `many` and `own` as `add` has put them: if no other rank does the same, `own` is not one of
  /// `many`.
  Bundle bundle(std::vector<Rank> from, std::vector<Rank> to) const {
    if (to.size() == 1 && from.size() > 1) std::erase(from, to.front());
    if (from.size() == 1 && to.size() > 1) std::erase(to, from.front());
    Bundle bundle{std::move(from), std::move(to)};
    bundle.column_begin = column_.size();
    for (const auto* ranks : {&bundle.from, &bundle.to})
      for (const Rank rank : *ranks) {
        bundle.column_begin = std::min(bundle.column_begin, column_[rank]);
        bundle.column_end = std::max(bundle.column_end, column_[rank] + 1);
      }
    return bundle;
  }

  void place_bands() {
    double y = top_of_columns() + kRankRow;
    for (Band& band : bands_) {
      band.top = y;
      band.boxes = y + height_for(band.taken, kLeastBand);
      y = band.boxes + kBoxHeight + (plan_.tiles > 1 ? kTileStrip : 0);
      if (!band.stored.empty()) y += height_for(band.stored, kLeastBand);
      band.bottom = y;
    }
  }

  /// Long arrows need room to be seen as such, bars a line each.
  double height_for(std::vector<Bundle>& bundles, double least) {
    std::sort(bundles.begin(), bundles.end(), [](const Bundle& a, const Bundle& b) {
      return std::pair(a.column_begin, a.column_end) < std::pair(b.column_begin, b.column_end);
    });
    double height = bundles.empty() ? 16 : least;
    for (const Bundle& bundle : bundles)
      if (!bundle.is_bar())
        height = std::max(
            height,
            std::min(kMostBand, 0.16 * column_width_ *
                                    static_cast<double>(bundle.column_end - bundle.column_begin)));
    const auto lanes = static_cast<double>(assign_lanes(bundles));
    return std::max(height, lanes * kBarStep + 24);
  }

  // -------------------------------------------------------------------------------------------
  // Distances, near to far.

  std::size_t depth_of(const Group& group) const {
    std::size_t depth = 0;
    const Group* at = &hierarchy_.all;
    while (at != &group) {
      for (const Group& child : at->children)
        if (std::binary_search(child.ranks.begin(), child.ranks.end(), group.leader())) {
          at = &child;
          break;
        }
      ++depth;
    }
    return depth;
  }

  /// Compares as less if nearer: deeper groups count less.
  using Distance = std::pair<std::size_t, std::string>;

  Distance distance_of(Rank a, Rank b) const {
    const Group& meeting = meeting_of(hierarchy_, a, b);
    return {1000 - depth_of(meeting), distance_text(meeting)};
  }

  /// Returns the distance of a bar: the farthest of all.
  Distance distance_of(const Bundle& bundle) const {
    Distance farthest{0, ""};
    for (const auto* ranks : {&bundle.from, &bundle.to})
      for (const Rank rank : *ranks)
        if (rank != bundle.from.front())
          farthest = std::max(farthest, distance_of(bundle.from.front(), rank));
    return farthest;
  }

  /// Calls `use` for each arrow of a bundle that is not drawn as a bar.
  template <class Use>
  static void for_each_arrow(const Bundle& bundle, Use use) {
    if (bundle.is_bar()) return;
    for (const Rank from : bundle.from)
      for (const Rank to : bundle.to)
        if (from != to) use(from, to);
  }

  void find_distances() {
    std::set<Distance> found;
    for (const Band& band : bands_)
      for (const auto* bundles : {&band.taken, &band.stored})
        for (const Bundle& bundle : *bundles) {
          if (bundle.is_bar()) found.insert(distance_of(bundle));
          for_each_arrow(bundle, [&](Rank from, Rank to) { found.insert(distance_of(from, to)); });
        }
    distances_.assign(found.begin(), found.end());
  }

  const char* colour_of(const Distance& distance) const {
    const auto at = std::find(distances_.begin(), distances_.end(), distance);
    return colour_of_distance(static_cast<std::size_t>(at - distances_.begin()), distances_.size());
  }

  // -------------------------------------------------------------------------------------------
  // Shapes.

  void draw_title() {
    std::string title = plan_.name + ": " + std::to_string(plan_.ranks) +
                        (plan_.ranks == 1 ? " rank, " : " ranks, ") + std::to_string(all_rounds_) +
                        (all_rounds_ == 1 ? " round" : " rounds");
    svg_.text(title, {kMargin, kMargin + 13}, "font-size=\"15\" font-weight=\"bold\"");
  }

  struct PlacedGroup {
    const Group* group;
    std::size_t column;
  };

  /// Groups of several ranks at a depth.
  std::vector<PlacedGroup> collect_groups(std::size_t depth) const {
    std::vector<PlacedGroup> found, at = {{&hierarchy_.all, 0}};
    for (std::size_t i = 0; i < depth; ++i) {
      std::vector<PlacedGroup> below;
      for (const PlacedGroup& one : at) {
        std::size_t column = one.column;
        for (const Group& child : one.group->children) {
          below.push_back({&child, column});
          column += child.ranks.size();
        }
      }
      at = std::move(below);
    }
    for (const PlacedGroup& one : at)
      if (one.group->ranks.size() > 1) found.push_back(one);
    return found;
  }

  void draw_groups() {
    for (std::size_t depth = 1; depth <= group_rows_; ++depth)
      for (const PlacedGroup& one : collect_groups(depth)) {
        const double x = kMargin + kGutter + static_cast<double>(one.column) * column_width_;
        const double width = static_cast<double>(one.group->ranks.size()) * column_width_;
        const double y = kMargin + kTitle + kGroupRow * static_cast<double>(depth - 1);
        const std::string name =
            level_name(one.group->level) + ' ' + std::to_string(one.group->index);
        svg_.begin("group", name);
        svg_.box({x + 2, y}, width - 4, kGroupRow - 4,
                 "rx=\"3\" fill=\"" + std::string(colour_of_depth(depth)) + '"');
        svg_.text(fitted(name, width - 8), {x + width / 2, y + 13}, kCentred);
        svg_.end();
        if (depth == 1) shade(x, width);
      }
  }

  /// Outermost groups are set apart all the way down.
  void shade(double x, double width) {
    svg_.box({x + 2, top_of_columns()}, width - 4, end_of_bands() - top_of_columns() + 4,
             "fill=\"#f6f8fb\"");
  }

  void draw_columns() {
    // Bold letters are wider.
    const bool is_wide =
        column_width_ >= width_of("rank " + std::to_string(plan_.ranks - 1), 14) + 4;
    if (!is_wide)
      svg_.text("rank", {kMargin, top_of_columns() + 14}, "fill=\"" + std::string(kFaint) + '"');
    for (Rank rank = 0; rank < plan_.ranks; ++rank) {
      const double x = x_of(rank), y = top_of_columns();
      svg_.begin("rank", "rank " + std::to_string(rank));
      svg_.text((is_wide ? "rank " : "") + std::to_string(rank), {x, y + 14},
                std::string(kCentred) + " font-weight=\"bold\"");
      svg_.line({x, y + kRankRow - 4}, {x, end_of_bands() + 2}, "stroke=\"#c4c9d0\"");
      svg_.end();
    }
  }

  void draw_band(std::size_t round) {
    const Band& band = bands_[round];
    if (round > 0)
      svg_.line({kMargin, band.top}, {width_ - kMargin, band.top},
                "stroke=\"#dfe3e8\" stroke-dasharray=\"2 4\"");
    svg_.text("round " + std::to_string(round + 1), {kMargin, band.boxes + 15},
              "fill=\"" + std::string(kFaint) + '"');
    for (const Bundle& bundle : band.taken) draw_taken(bundle, band, round + 1);
    for (const Bundle& bundle : band.stored) draw_stored(bundle, band, round + 1);
    for (const Act* act : band.acts) draw_box(*act, band);
  }

  static std::string tooltip(Rank to, Rank from, std::size_t round, bool is_stored) {
    const std::string at = " in round " + std::to_string(round);
    if (is_stored)
      return "rank " + std::to_string(from) + " stores at rank " + std::to_string(to) + at;
    return "rank " + std::to_string(to) + " takes from rank " + std::to_string(from) + at;
  }

  static std::string names(const std::vector<Rank>& ranks) {
    std::string text;
    for (const Rank rank : ranks) text += (text.empty() ? "" : ", ") + std::to_string(rank);
    return text;
  }

  void draw_taken(const Bundle& bundle, const Band& band, std::size_t round) {
    if (bundle.is_bar()) return draw_bar(bundle, band.top + 9, band.boxes, round, false);
    for_each_arrow(bundle, [&](Rank from, Rank to) {
      svg_.begin("arrow", tooltip(to, from, round, false));
      svg_.arrow({x_of(from), band.top + 2}, {x_of(to), band.boxes - 1},
                 colour_of(distance_of(from, to)), "stroke-width=\"1.4\"");
      svg_.end();
    });
  }

  void draw_stored(const Bundle& bundle, const Band& band, std::size_t round) {
    const double top = band.boxes + kBoxHeight + (plan_.tiles > 1 ? kTileStrip : 0);
    if (bundle.is_bar()) return draw_bar(bundle, top + 10, band.bottom - 3, round, true);
    for_each_arrow(bundle, [&](Rank from, Rank to) {
      svg_.begin("arrow", tooltip(to, from, round, true));
      svg_.arrow({x_of(from), top}, {x_of(to), band.bottom - 3}, colour_of(distance_of(from, to)),
                 "stroke-width=\"1.4\" stroke-dasharray=\"5 3\"");
      svg_.end();
    });
  }

  void draw_bar(const Bundle& bundle, double first_lane, double arrows_end, std::size_t round,
                bool is_stored) {
    const char* const colour = colour_of(distance_of(bundle));
    const double y = first_lane + kBarStep * static_cast<double>(bundle.lane);
    const auto x_of_column = [&](std::size_t column) {
      return kMargin + kGutter + (static_cast<double>(column) + 0.5) * column_width_;
    };
    svg_.begin("bar", "ranks " + names(bundle.to) +
                          (is_stored ? " get from ranks " : " take from ranks ") +
                          names(bundle.from) + " in round " + std::to_string(round));
    svg_.line({x_of_column(bundle.column_begin), y}, {x_of_column(bundle.column_end - 1), y},
              "stroke=\"" + std::string(colour) + "\" stroke-width=\"2\"" +
                  (is_stored ? " stroke-dasharray=\"5 3\"" : ""));
    for (const Rank to : bundle.to)
      svg_.arrow({x_of(to), y}, {x_of(to), arrows_end - 1}, colour, "stroke-width=\"1.4\"");
    for (const Rank from : bundle.from) svg_.dot({x_of(from), y}, 3.4, colour);
    svg_.end();
  }

  void draw_box(const Act& act, const Band& band) {
    const Step& step = *act.step;
    const bool combines = step.kind == StepKind::reduce && step.from.size() > 1;
    const bool moves = step.kind == StepKind::reduce || step.kind == StepKind::copy;
    const double width = column_width_ - 8, x = x_of(step.by) - width / 2;
    svg_.begin("step", to_text(step, plan_));
    svg_.box({x, band.boxes}, width, kBoxHeight,
             std::string("rx=\"4\" stroke=\"#5f6368\" fill=\"") +
                 (combines ? "#fde9b8"
                  : moves  ? "#ffffff"
                           : "#e8eaed") +
                 '"');
    svg_.text(label_of(act, plan_), {x_of(step.by), band.boxes + 15},
              std::string(kCentred) + " font-size=\"11\"");
    if (plan_.tiles > 1 && moves) draw_tiles(step, x + 2, band.boxes + kBoxHeight - 2, width - 4);
    svg_.end();
  }

  /// Draws, below its box, the part of the vector that the step makes.
  void draw_tiles(const Step& step, double x, double y, double width) {
    svg_.box({x, y}, width, kTileStrip, "fill=\"white\" stroke=\"#9aa0a6\" stroke-width=\"0.7\"");
    const double tile = width / plan_.tiles;
    for (const Region& made : step.to)
      svg_.box({x + tile * made.first_tile, y}, tile * made.tile_count, kTileStrip,
               "fill=\"#7b3fa0\"");
  }

  void draw_waits() {
    for (const Act& act : acts_) {
      if (act.round > bands_.size()) continue;
      for (const std::size_t index : act.awaits) {
        const Act& awaited = acts_[index];
        if (awaited.step->by == act.step->by) continue;  // for its own messages
        svg_.begin("wait", "rank " + std::to_string(act.step->by) + " waits until rank " +
                               std::to_string(awaited.step->by) +
                               " has done: " + to_text(*awaited.step, plan_));
        svg_.arrow({x_of(awaited.step->by) + 5, bands_[awaited.round - 1].boxes + kBoxHeight},
                   {x_of(act.step->by) + 5, bands_[act.round - 1].boxes - 1}, "#80868b",
                   "stroke-dasharray=\"1.5 3\"");
        svg_.end();
      }
    }
  }

  // -------------------------------------------------------------------------------------------
  // What the signs mean.

  double draw_legend(double y) {
    if (bands_.size() < all_rounds_) {
      svg_.text("Rounds " + std::to_string(bands_.size() + 1) + " to " +
                    std::to_string(all_rounds_) + " are left out.",
                {kMargin + kGutter, y + 12}, "font-weight=\"bold\"");
      y += kLegendRow;
    }
    for (std::size_t i = 0; i < distances_.size(); ++i) {
      svg_.arrow({kMargin, y + 9}, {kMargin + 40, y + 9}, colour_of_distance(i, distances_.size()),
                 "stroke-width=\"1.6\"");
      svg_.text("a value goes from one to the other, " + distances_[i].second,
                {kMargin + kGutter, y + 13});
      y += kLegendRow;
    }
    y = draw_legend_of_bars(y);
    for (const std::string& sign : signs_of(acts_, plan_)) {
      svg_.text(sign, {kMargin + kGutter, y + 13});
      y += kLegendRow;
    }
    return y;
  }

  double draw_legend_of_bars(double y) {
    const auto say = [&](const std::string& sentence) {
      svg_.text(sentence, {kMargin + kGutter, y + 13});
      y += kLegendRow;
    };
    if (has_any([](const Bundle& bundle) { return bundle.is_bar(); })) {
      svg_.line({kMargin, y + 5}, {kMargin + 40, y + 5}, "stroke=\"#5f6368\" stroke-width=\"2\"");
      svg_.dot({kMargin + 8, y + 5}, 3.4, kFaint);
      svg_.arrow({kMargin + 30, y + 5}, {kMargin + 30, y + 17}, kFaint);
      say("bar: each rank under an arrow reads from all ranks with a dot");
    }
    const bool has_stores = std::any_of(bands_.begin(), bands_.end(),
                                        [](const Band& band) { return !band.stored.empty(); });
    if (has_stores) {
      svg_.line({kMargin, y + 9}, {kMargin + 40, y + 9},
                "stroke=\"#5f6368\" stroke-width=\"1.6\" stroke-dasharray=\"5 3\"");
      say("dashed: the giver stores; otherwise the taker reads");
    }
    if (options_.shows_waits) {
      svg_.arrow({kMargin, y + 9}, {kMargin + 40, y + 9}, "#80868b", "stroke-dasharray=\"1.5 3\"");
      say("dotted: a wait for that step");
    }
    if (plan_.tiles > 1) {
      svg_.box({kMargin, y + 6}, 40, kTileStrip, "fill=\"white\" stroke=\"#9aa0a6\"");
      svg_.box({kMargin + 10, y + 6}, 10, kTileStrip, "fill=\"#7b3fa0\"");
      say("the step's tiles, of the vector's " + std::to_string(plan_.tiles));
    }
    return y;
  }

  template <class Question>
  bool has_any(Question question) const {
    for (const Band& band : bands_)
      for (const auto* bundles : {&band.taken, &band.stored})
        if (std::any_of(bundles->begin(), bundles->end(), question)) return true;
    return false;
  }

  const Plan& plan_;
  const Hierarchy& hierarchy_;
  const PlanPicture options_;
  const std::vector<Act> acts_;
  std::uint32_t all_rounds_ = 0;
  std::vector<std::size_t> column_;  ///< by rank
  double column_width_ = 0, width_ = 0;
  std::size_t group_rows_ = 0;
  std::vector<Band> bands_;
  std::vector<Distance> distances_;  ///< from near to far
  Svg svg_;
};

}  // namespace

std::string svg_of(const Plan& plan, const Hierarchy& hierarchy, const PlanPicture& options) {
  return Drawing(plan, hierarchy, options).document();
}

}  // namespace terrace
