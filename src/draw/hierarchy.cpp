// SPDX-License-Identifier: BSD-3-Clause
// Draws a hierarchy as boxes under boxes. See hierarchy.hpp.
#include "draw/hierarchy.hpp"

#include <algorithm>
#include <vector>

#include "communicators/layers.hpp"
#include "draw/svg.hpp"

namespace terrace {

namespace {

using communicators::finer_children;

constexpr double kMargin = 10, kRowHeight = 44, kGap = 3;
constexpr double kLeastWidth = 640, kMostWidth = 8000, kWidthPerRank = 54;

std::size_t height_of(const Group& group) {
  std::size_t height = 0;
  for (const Group* child : finer_children(group)) height = std::max(height, height_of(*child));
  return height + 1;
}

class Drawing {
 public:
  Drawing(const Hierarchy& hierarchy, double width)
      : width_per_rank_((width - 2 * kMargin) / std::max<Rank>(hierarchy.rank_count(), 1)) {
    draw(hierarchy.all, kMargin, 0);
  }

  const Svg& svg() const { return svg_; }

 private:
  /// Ranks that stop at the group's own resource leave a gap below it, on the right.
  void draw(const Group& group, double x, std::size_t depth) {
    const double width = static_cast<double>(group.ranks.size()) * width_per_rank_;
    draw_box(group, x, width, depth);
    for (const Group* child : finer_children(group)) {
      draw(*child, x, depth + 1);
      x += static_cast<double>(child->ranks.size()) * width_per_rank_;
    }
  }

  void draw_box(const Group& group, double x, double width, std::size_t depth) {
    const double y = kMargin + static_cast<double>(depth) * kRowHeight;
    const double gap = std::min(kGap, width / 8);
    const std::string name = communicators::name_of(group),
                      ranks = communicators::ranks_text(group.ranks);
    svg_.begin("group", name + ": ranks " + ranks);
    svg_.box(
        {x + gap / 2, y}, width - gap, kRowHeight - kGap,
        "rx=\"3\" fill=\"" + std::string(colour_of_depth(depth)) + "\" stroke=\"" + kFaint + '"');
    svg_.text(fitted(name, width - 2 * kGap), {x + width / 2, y + 17}, kCentred);
    if (width_of(ranks) <= width - 2 * kGap)
      svg_.text(ranks, {x + width / 2, y + 33}, std::string(kCentred) + " fill=\"" + kFaint + '"');
    svg_.end();
  }

  double width_per_rank_;
  Svg svg_;
};

void write(const Group& group, std::size_t indent, std::string& text) {
  const std::vector<const Group*> children = finer_children(group);
  text += std::string(indent, ' ') + communicators::name_of(group) + ": " +
          communicators::ranks_text(group.ranks);
  if (!children.empty()) {
    std::vector<Rank> roots;
    for (const Group* child : children) roots.push_back(child->leader());
    text += "   roots " + communicators::ranks_text(roots);
  }
  text += '\n';
  for (const Group* child : children) write(*child, indent + 2, text);
}

}  // namespace

std::string svg_of(const Hierarchy& hierarchy) {
  const double width =
      std::clamp(kWidthPerRank * hierarchy.rank_count() + 2 * kMargin, kLeastWidth, kMostWidth);
  const double height =
      2 * kMargin + kRowHeight * static_cast<double>(height_of(hierarchy.all)) - kGap;
  return Drawing(hierarchy, width).svg().document(width, height);
}

std::string picture_text(const Hierarchy& hierarchy) {
  std::string text;
  write(hierarchy.all, 0, text);
  return text;
}

}  // namespace terrace
