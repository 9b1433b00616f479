// SPDX-License-Identifier: BSD-3-Clause
// Finds which algorithm is faster, at points all over a box of parameters.
#include "papers/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace terrace::papers {

using namespace model::hpdc13;

namespace {

constexpr double kSlack = 1 + 1e-9;  // the same sum, added up in another order

bool no_tree_is_faster(const Costs& c, Threads t, double m, double time) {
  for (std::uint32_t n = 2; n <= t.q; ++n)
    if (nary_broadcast(c, t, n, m) * kSlack < time) return false;
  return true;
}

/// "64 B 0 %, 4 KiB 20 %, 768 KiB 60 %": shares by length, at three of them.
std::string shares_by_length(const PaperNode& node, ShapeAt holds) {
  std::string text;
  for (const double m : {1.0, 64.0, 12'288.0}) {
    const BoxShare share = share_of(node.box, [&](FactorPoint point) {
      return holds(parameters_at(node, point), node.threads, m);
    });
    text +=
        (text.empty() ? "" : ", ") + bytes_text(kLine * m) + " " + percent_text(share.fraction());
  }
  return text;
}

/// A part of a claim.
struct Part {
  const char* name;
  ShapeAt holds;
};

/// "holds at all lengths in 3 % of the box; cyclic faster than naive 90 %, ..."
std::string text_on(const PaperNode& node, const BoxShare& share, double from,
                    const std::vector<Part>& parts) {
  std::string text = std::string(node.name) + " " + papers::text_of(share, node.box);
  const char* between = "; ";
  for (const Part& part : parts) {
    text += between + std::string(part.name) + " " +
            percent_text(share_in(node, part.holds, from).fraction());
    between = ", ";
  }
  return text;
}

/// A shape on both nodes, of so many lines or more: it counts with the smaller share.
ClaimAnswer in_parts(ShapeAt holds, double from, const std::vector<Part>& parts) {
  const BoxShare first = share_in(westmere(), holds, from);
  const BoxShare second = share_in(magny_cours(), holds, from);
  const BoxShare& smaller = first.fraction() < second.fraction() ? first : second;
  return {verdict_on(smaller),
          "at all lengths from " + bytes_text(kLine * from) +
              " on: " + text_on(westmere(), first, from, parts) + ". " +
              text_on(magny_cours(), second, from, parts),
          smaller.fraction(), box_text(westmere()) + ". " + box_text(magny_cours())};
}

ClaimAnswer best_broadcast(const PaperNode& node, ShapeAt holds) {
  const BoxShare share = share_in(node, holds);
  return {verdict_on(share),
          "at all lengths in " + text_of(share, node.box) +
              "; by length: " + shares_by_length(node, holds),
          share.fraction(), box_text(node)};
}

}  // namespace

bool one_stage_is_best(const Costs& c, Threads t, double m) {
  const double time = one_stage_broadcast(c, t, m);
  return time <= two_stage_broadcast(c, t, m) * kSlack && no_tree_is_faster(c, t, m, time);
}

bool two_stages_are_best(const Costs& c, Threads t, double m) {
  const double time = two_stage_broadcast(c, t, m);
  return time <= one_stage_broadcast(c, t, m) * kSlack && no_tree_is_faster(c, t, m, time);
}

bool binary_reduction_is_best(const Costs& c, Threads t, double m) {
  const double time = reduction_tree(c, t, 2, m);
  for (std::uint32_t n = 3; n <= t.q; ++n)
    if (reduction_tree(c, t, n, m) * kSlack < time) return false;
  return true;
}

bool cyclic_is_faster_than_naive(const Costs& c, Threads t, double m) {
  return cyclic_tiles(c, t, m) < naive_tiles(c, t, m);
}

bool hierarchical_is_faster_than_cyclic(const Costs& c, Threads t, double m) {
  return equation_10(c, t, m) < cyclic_tiles(c, t, m);
}

bool cyclic_gains_less(const Costs& c, Threads t, double m) {
  const double cyclic = cyclic_tiles(c, t, m);
  return naive_tiles(c, t, m) / cyclic < cyclic / equation_10(c, t, m);
}

bool tiles_are_in_order(const Costs& c, Threads t, double m) {
  return cyclic_is_faster_than_naive(c, t, m) && hierarchical_is_faster_than_cyclic(c, t, m) &&
         cyclic_gains_less(c, t, m);
}

bool dissemination_is_slower_than_tree(const Costs& c, Threads t, double m) {
  return dissemination_allreduce(c, t, m) > tree_allreduce(c, t, m);
}

bool dissemination_and_tiles_cross(const Costs& c, Threads t, double) {
  const double shortest = lines_in_cache().front(), longest = lines_in_cache().back();
  return dissemination_allreduce(c, t, shortest) < tiled_allreduce(c, t, shortest) &&
         dissemination_allreduce(c, t, longest) > tiled_allreduce(c, t, longest);
}

bool dissemination_is_worst(const Costs& c, Threads t, double m) {
  return dissemination_is_slower_than_tree(c, t, m) && dissemination_and_tiles_cross(c, t, m);
}

BoxShare share_in(const PaperNode& node, ShapeAt holds, double from) {
  return share_of(node.box, [&](FactorPoint point) {
    const Costs costs = parameters_at(node, point);
    return std::ranges::all_of(lines_in_cache(),
                               [&](double m) { return m < from || holds(costs, node.threads, m); });
  });
}

ClaimAnswer best_broadcast_on_westmere() {
  return best_broadcast(westmere(), one_stage_is_best);
}

ClaimAnswer best_broadcast_on_magny_cours() {
  return best_broadcast(magny_cours(), two_stages_are_best);
}

ClaimAnswer best_reduction_tree() {
  return in_parts(binary_reduction_is_best, 1, {});
}

ClaimAnswer order_of_tiles() {
  constexpr double kFrom = 128;  // 8 KiB: four lines for each of 32 threads
  return in_parts(tiles_are_in_order, kFrom,
                  {{"cyclic faster than naive", cyclic_is_faster_than_naive},
                   {"hierarchical faster than cyclic", hierarchical_is_faster_than_cyclic},
                   {"the second gain larger", cyclic_gains_less}});
}

ClaimAnswer worst_of_three() {
  return in_parts(
      dissemination_is_worst, 1,
      {{"slower than the tree", dissemination_is_slower_than_tree},
       {"faster than tiles with one line, slower at 768 KiB", dissemination_and_tiles_cross}});
}

}  // namespace terrace::papers
