// SPDX-License-Identifier: BSD-3-Clause
// Draws a machine: each box encloses what lies in it. Resources of one level with the same PUs
// share a box, with a line of text each. Boxes that hold the same look the same, whatever their
// numbers and ranks.
#include "draw/machine.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/hash.hpp"
#include "communicators/layers.hpp"
#include "draw/svg.hpp"

namespace terrace {

namespace {

constexpr double kMargin = 10, kGap = 6, kLine = 16, kRankLine = 18;
/// Boxes are placed side by side until a row is this much wider than all rows are high.
constexpr double kAspect = 3.2, kMostAspect = 7;

using PlaceKey = std::pair<std::string, std::uint64_t>;
using RanksAt = std::map<PlaceKey, std::vector<Rank>>;

struct Box {
  std::string tooltip;
  std::vector<std::string> lines;
  std::string ranks;  ///< "ranks 0-3"
  std::vector<Box> children;
  std::size_t depth = 0;    ///< of boxes inside it
  std::uint64_t kind = 0;   ///< the same for boxes that hold the same
  std::size_t columns = 1;  ///< of children
  double words_height = 0;
  double width = 0, height = 0;
};

/// A rank's innermost resource on the first node.
RanksAt ranks_at(std::span<const Locality> localities) {
  RanksAt ranks;
  for (Rank rank = 0; rank < localities.size(); ++rank) {
    const std::vector<LevelPlace>& places = localities[rank].places;
    const auto node = std::find_if(places.begin(), places.end(),
                                   [](const LevelPlace& place) { return place.level == "node"; });
    if (node == places.end() || node->index != 0) continue;
    const LevelPlace& last = places.back();
    // A node's own number counts nodes, not resources on the machine.
    ranks[{last.level, last.level == "node" ? 0 : last.index}].push_back(rank);
  }
  return ranks;
}

std::string name_of(const Resource& resource) {
  std::string name = level_name(resource.level);
  if (resource.level != "node") name += ' ' + std::to_string(resource.index);
  if (resource.bytes != 0) name += ", " + bytes_text(resource.bytes);
  return name;
}

/// Moves the box below `from` into `to`: the same PUs, or another line of words of one box.
void take_in(const Resource& from, const RanksAt& ranks, Box& to, std::vector<Rank>& found) {
  to.lines.push_back(name_of(from));
  const auto here = ranks.find({from.level, from.level == "node" ? 0 : from.index});
  if (here != ranks.end()) found.insert(found.end(), here->second.begin(), here->second.end());
}

Box box_of(const Resource& resource, const RanksAt& ranks) {
  Box box;
  std::vector<Rank> found;
  const Resource* inner = &resource;
  take_in(*inner, ranks, box, found);
  while (inner->children.size() == 1 && inner->children.front().pus == inner->pus) {
    inner = &inner->children.front();
    take_in(*inner, ranks, box, found);
  }
  std::sort(found.begin(), found.end());
  if (!found.empty())
    box.ranks = (found.size() == 1 ? "rank " : "ranks ") + communicators::ranks_text(found);
  for (const std::string& line : box.lines) box.tooltip += line + '\n';
  box.tooltip += "PUs " + to_text(resource.pus) + (found.empty() ? "" : "\n" + box.ranks);
  std::string kind;
  for (const Resource* one = &resource; one != inner; one = &one->children.front())
    kind += one->level + ' ';
  kind += inner->level;
  for (const Resource& child : inner->children) {
    box.children.push_back(box_of(child, ranks));
    box.depth = std::max(box.depth, box.children.back().depth + 1);
    kind += ' ' + std::to_string(box.children.back().kind);
  }
  box.kind = hash_of(kind);
  return box;
}

struct Area {
  double width, height;
};

/// Returns the size of all children in `columns` columns, with all cells as large as the largest.
Area size_of_children(const Box& box, std::size_t columns) {
  double width = 0, height = 0;
  for (const Box& child : box.children) {
    width = std::max(width, child.width);
    height = std::max(height, child.height);
  }
  const double rows =
      std::ceil(static_cast<double>(box.children.size()) / static_cast<double>(columns));
  return {static_cast<double>(columns) * (width + kGap) - kGap, rows * (height + kGap) - kGap};
}

/// Few children stand in a row, unless that is very long; many in as many rows as make a picture
/// that fits a page.
std::size_t columns_for(const Box& box) {
  std::size_t columns = box.children.size();
  const double aspect = columns <= 4 ? kMostAspect : kAspect;
  while (columns > 1) {
    const auto [width, height] = size_of_children(box, columns);
    if (width < aspect * height) break;
    columns = (columns + 1) / 2;
  }
  return std::max<std::size_t>(columns, 1);
}

/// Boxes by what they hold; the inner ones come first.
using Kinds = std::map<std::pair<std::size_t, std::uint64_t>, std::vector<Box*>>;

void collect(Box& box, Kinds& kinds) {
  kinds[{box.depth, box.kind}].push_back(&box);
  for (Box& child : box.children) collect(child, kinds);
}

/// Gives boxes that hold the same one size; their words get the room of those that need most.
void measure_alike(std::span<Box* const> boxes) {
  Box common = *boxes.front();
  double words = 0;
  for (const Box* box : boxes) {
    words = std::max(words, width_of(box->ranks) + 8);
    for (const std::string& line : box->lines) words = std::max(words, width_of(line));
    common.words_height =
        std::max(common.words_height, kLine * static_cast<double>(box->lines.size()) +
                                          (box->ranks.empty() ? 0 : kRankLine) + 4);
  }
  common.width = words + 2 * kGap;
  common.height = common.words_height + kGap;
  if (!common.children.empty()) {
    common.columns = columns_for(common);
    const auto [width, height] = size_of_children(common, common.columns);
    common.width = std::max(common.width, width + 2 * kGap);
    common.height += height + kGap;
  }
  for (Box* box : boxes) {
    box->columns = common.columns;
    box->words_height = common.words_height;
    box->width = common.width;
    box->height = common.height;
  }
}

void measure(Box& whole) {
  Kinds kinds;
  collect(whole, kinds);
  for (const auto& [kind, boxes] : kinds) measure_alike(boxes);
}

void draw_ranks(const Box& box, Point at, Svg& svg) {
  svg.begin("ranks", box.ranks);
  svg.box({at.x - 3, at.y - 12}, width_of(box.ranks) + 6, kRankLine - 2,
          "rx=\"4\" fill=\"#1a4f8b\"");
  svg.text(box.ranks, {at.x, at.y}, "fill=\"white\"");
  svg.end();
}

void draw(const Box& box, Point corner, std::size_t depth, Svg& svg) {
  svg.begin("resource", box.tooltip);
  svg.box(corner, box.width, box.height,
          "rx=\"4\" fill=\"" + std::string(colour_of_depth(depth)) + "\" stroke=\"" + kFaint + '"');
  double y = corner.y + kLine - 2;
  for (const std::string& line : box.lines) {
    svg.text(line, {corner.x + kGap, y});
    y += kLine;
  }
  svg.end();
  if (!box.ranks.empty()) draw_ranks(box, {corner.x + kGap + 3, y + 1}, svg);
  if (box.children.empty()) return;
  const auto rows = static_cast<double>((box.children.size() + box.columns - 1) / box.columns);
  const double cell = (box.width - kGap) / static_cast<double>(box.columns);
  const double row_height = (box.height - box.words_height - kGap) / rows;
  const double top = corner.y + box.words_height + kGap / 2;
  for (std::size_t i = 0; i < box.children.size(); ++i) {
    Box child = box.children[i];  // as large as its cell
    child.width = cell - kGap;
    child.height = row_height - kGap;
    draw(child,
         {corner.x + kGap + cell * static_cast<double>(i % box.columns),
          top + row_height * static_cast<double>(i / box.columns)},
         depth + 1, svg);
  }
}

}  // namespace

std::string svg_of(const Machine& machine, std::span<const Locality> ranks) {
  Box box = box_of(machine.node, ranks_at(ranks));
  measure(box);
  Svg svg;
  const double title = 22;
  svg.text(machine.origin + ": " + std::to_string(machine.node.pus.count()) + " PUs",
           {kMargin, kMargin + 12}, "font-weight=\"bold\"");
  draw(box, {kMargin, kMargin + title}, 0, svg);
  const double words = width_of(machine.origin, 13) + 120;
  return svg.document(std::max(box.width, words) + 2 * kMargin, box.height + title + 2 * kMargin);
}

}  // namespace terrace
