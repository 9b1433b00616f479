// SPDX-License-Identifier: BSD-3-Clause
// Drawing a hierarchy: boxes under boxes. See drawing.hpp.
#include "drawing.hpp"

#include <algorithm>
#include <cstdio>

#include "communicators/layers.hpp"

namespace terrace {
namespace {

using communicators::finer_children;

constexpr double kMargin = 10, kRowHeight = 44, kGap = 3;
constexpr double kLetterWidth = 6.6;  // of the font below, the widest that is usual
constexpr double kLeastWidth = 640, kMostWidth = 8000, kWidthPerRank = 54;

/// From the top down; deeper ones again from the first.
constexpr const char* kColours[] = {"#e8eaed", "#cfe3f7", "#d5efd9", "#fdf0c4",
                                    "#f9d9c8", "#e5d8f3", "#d0efee"};

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&' || c == '<' || c == '>' || c == '"')
      result += "&#" + std::to_string(static_cast<int>(c)) + ';';
    else
      result += c;
  }
  return result;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

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

  const std::string& shapes() const { return shapes_; }

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
    const char* const colour = kColours[depth % std::size(kColours)];
    shapes_ += "<g><title>" + escaped(name + ": ranks " + ranks) + "</title><rect x=\"" +
               number(x + gap / 2) + "\" y=\"" + number(y) + "\" width=\"" + number(width - gap) +
               "\" height=\"" + number(kRowHeight - kGap) + "\" rx=\"3\" fill=\"" + colour +
               "\" stroke=\"#5f6368\"/>";
    draw_text(name, x + width / 2, y + 17, width, "");
    draw_text(ranks, x + width / 2, y + 33, width, " fill=\"#5f6368\"");
    shapes_ += "</g>\n";
  }

  void draw_text(const std::string& text, double x, double y, double width, const char* style) {
    if (kLetterWidth * static_cast<double>(text.size()) > width - 2 * kGap) return;
    shapes_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\"" + style + ">" +
               escaped(text) + "</text>";
  }

  double width_per_rank_;
  std::string shapes_;
};

}  // namespace

std::string svg_of(const Hierarchy& hierarchy) {
  const double width =
      std::clamp(kWidthPerRank * hierarchy.rank_count() + 2 * kMargin, kLeastWidth, kMostWidth);
  const double height =
      2 * kMargin + kRowHeight * static_cast<double>(height_of(hierarchy.all)) - kGap;
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width) + "\" height=\"" +
         number(height) +
         "\" font-family=\"sans-serif\" font-size=\"12\" text-anchor=\"middle\">\n" +
         "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
         Drawing(hierarchy, width).shapes() + "</svg>\n";
}

}  // namespace terrace
