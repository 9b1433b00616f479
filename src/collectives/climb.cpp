// SPDX-License-Identifier: BSD-3-Clause
// Reduces up the hierarchy and broadcasts down it.
//
//     climb, radix 3, ranks 0..5:     0 1 2   3 4 5        descend, radix 3:   0
//                                     └─┼─┘   └─┼─┘                          ┌─┼─┐
//                                       0       3                            0 1 2
//                                       └───┬───┘                           ... every holder
//                                           0                               feeds two more
//
// A round combines neighbours in rank order, so a group of consecutive ranks keeps that order
// for every radix and every head. That is the paper's tree: the first of n does the work
// and goes on to the next round (HPDC'13, section 2.2).
#include "collectives/climb.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace terrace {

namespace {

bool contains(const Group& group, Rank rank) {
  return std::binary_search(group.ranks.begin(), group.ranks.end(), rank);
}

/// The holders of what a group's parts have combined so far.
class Climb {
 public:
  Climb(PlanBuilder& plan, Rank head, std::uint32_t radix)
      : plan_(plan), head_(head), radix_(std::max(radix, 2u)) {}

  void to_target(const Group& group, Region target) {
    std::vector<HeldValue> held = parts(group);
    while (held.size() > radix_) held = round(held);
    plan_.reduce(head_, regions(held), {target});
  }

 private:
  std::vector<HeldValue> parts(const Group& group) {
    std::vector<HeldValue> held;
    if (group.children.empty())
      for (Rank rank : group.ranks) held.push_back({rank, input(rank)});
    for (const Group& child : group.children) held.push_back(total_of(child));
    return held;
  }

  HeldValue total_of(const Group& group) {
    std::vector<HeldValue> held = parts(group);
    while (held.size() > 1) held = round(held);
    return held.front();
  }

  std::vector<HeldValue> round(const std::vector<HeldValue>& held) {
    std::vector<HeldValue> next;
    for (std::size_t first = 0; first < held.size(); first += radix_) {
      const std::size_t count = std::min<std::size_t>(radix_, held.size() - first);
      next.push_back(combine({held.begin() + static_cast<std::ptrdiff_t>(first),
                              held.begin() + static_cast<std::ptrdiff_t>(first + count)}));
    }
    return next;
  }

  HeldValue combine(const std::vector<HeldValue>& held) {
    if (held.size() == 1) return held.front();
    const auto is_heads = [this](const HeldValue& part) { return part.by == head_; };
    const bool has_head = std::any_of(held.begin(), held.end(), is_heads);
    const Rank by = has_head ? head_ : held.front().by;
    plan_.reduce(by, regions(held), {scratch(by)});
    return {by, scratch(by)};
  }

  static std::vector<Region> regions(const std::vector<HeldValue>& held) {
    std::vector<Region> result;
    for (const HeldValue& part : held) result.push_back(part.where);
    return result;
  }

  PlanBuilder& plan_;
  Rank head_;
  std::uint32_t radix_;
};

/// One receiver per child group, or per rank where there are no children; `from` stands for its
/// own.
std::vector<HeldValue> receivers(const Group& group, HeldValue from) {
  std::vector<HeldValue> result = {from};
  if (group.children.empty()) {
    for (Rank rank : group.ranks)
      if (rank != from.by) result.push_back({rank, output(rank)});
  } else {
    for (const Group& child : group.children)
      if (!contains(child, from.by)) result.push_back({child.leader(), output(child.leader())});
  }
  return result;
}

const HeldValue& holder_in(const Group& child, const std::vector<HeldValue>& held) {
  const auto in_child = [&child](const HeldValue& one) { return contains(child, one.by); };
  TERRACE_ASSERT(std::any_of(held.begin(), held.end(), in_child), child.leader());
  return *std::find_if(held.begin(), held.end(), in_child);
}

/// The holder that feeds receiver `i`: all holders of the round feed radix - 1 each.
std::size_t feeder_of(std::size_t i, std::uint32_t radix) {
  if (radix == 0) return 0;
  std::size_t holders = 1;
  while (holders * radix <= i) holders *= radix;
  TERRACE_ASSERT(holders <= i, holders, i);
  return i % holders;
}

}  // namespace

void climb(PlanBuilder& plan, const Group& group, Rank head, std::uint32_t radix, Region target) {
  Climb(plan, head, radix).to_target(group, target);
}

void descend(PlanBuilder& plan, const Group& group, HeldValue from, std::uint32_t radix) {
  const std::vector<HeldValue> held = receivers(group, from);
  for (std::size_t i = 1; i < held.size(); ++i)
    plan.copy(held[i].by, held[feeder_of(i, radix)].where, held[i].where);
  for (const Group& child : group.children) descend(plan, child, holder_in(child, held), radix);
}

void descend_split(PlanBuilder& plan, const Group& group, HeldValue from, std::uint32_t tiles) {
  const std::vector<HeldValue> held = receivers(group, from);
  const auto share = static_cast<std::uint32_t>(std::max<std::size_t>(tiles / held.size(), 1));
  std::vector<Region> stored;
  for (std::size_t i = 1; i < held.size(); ++i) stored.push_back(held[i].where.tiles(0, share));
  if (!stored.empty()) plan.reduce(from.by, {from.where.tiles(0, share)}, std::move(stored));
  for (std::size_t i = 1; i < held.size(); ++i)
    plan.copy(held[i].by, from.where.tiles(share, tiles - share),
              held[i].where.tiles(share, tiles - share));
  for (const Group& child : group.children)
    descend_split(plan, child, holder_in(child, held), tiles);
}

void read_all_at_once(PlanBuilder& plan, const Group& group, HeldValue from) {
  for (Rank rank : group.ranks)
    if (rank != from.by) plan.copy(rank, from.where, output(rank));
}

}  // namespace terrace
