// SPDX-License-Identifier: BSD-3-Clause
// Allreduce by all-read: within a domain every rank reads all the others' values at once and
// combines them itself; then once more across domains, with one partner in each.
//
//     domain A   0 ⇄ 1 ⇄ 2      each reads the lines of the other two
//     domain B   3 ⇄ 4
//     across     0 ⇄ 3,  1 ⇄ 4,  2 ⇄ 3      partner: same position, modulo the domain's size
//
// Reads of r lines overlap: r of them cost one latency and r - 2 gaps, not r - 1 latencies. So the
// best radix is 5 to 10, and depth is 1 where the paper's binary tree has log2 p. It needs no
// special case for other numbers of ranks than powers, and no broadcast, and every rank hears from
// every other. Groups wider than `radix` are cut into even runs of neighbours first.
//
// Inputs go through scratch first: in place, a finished rank would otherwise overwrite the input
// that others still read. Small values travel in a line anyway, which serves as that scratch. A
// rank reads its own input where it is, because scratch may have been stored past its caches.
//
// Traffic: each rank writes its input once more; per level it reads (group size) values and writes
// one.
// Order: rank order within each group, groups in order of their leaders; the same for all ranks.
#include <algorithm>

#include "collectives/collectives.hpp"

namespace terrace {

namespace {

class AllRead {
 public:
  AllRead(PlanBuilder& plan, std::uint32_t radix) : plan_(plan), radix_(std::max(radix, 2u)) {}

  void run(const Group& all) {
    for (Rank rank : all.ranks) {
      plan_.copy(rank, input(rank), scratch(rank));
      value_.push_back(scratch(rank));
      own_.push_back(input(rank));
    }
    total_everywhere(all, true);
  }

 private:
  using Ranks = std::vector<Rank>;

  /// Every rank of the group gets the group's total.
  void total_everywhere(const Group& group, bool is_top) {
    std::vector<Ranks> parts;
    for (const Group& child : group.children) {
      total_everywhere(child, false);
      parts.push_back(child.ranks);
    }
    if (group.children.empty())
      for (Rank rank : group.ranks) parts.push_back({rank});
    exchange(std::move(parts), is_top);
  }

  /// Each part's ranks hold that part's total; afterwards all hold the total of all.
  void exchange(std::vector<Ranks> parts, bool is_top) {
    while (parts.size() > radix_) {
      std::vector<Ranks> runs;
      const std::size_t run_count = (parts.size() + radix_ - 1) / radix_;
      for (std::size_t i = 0; i < run_count; ++i) {
        const auto at = [&](std::size_t run) {
          return parts.begin() + static_cast<std::ptrdiff_t>(parts.size() * run / run_count);
        };
        runs.push_back(meet({at(i), at(i + 1)}, false));
      }
      parts = std::move(runs);
    }
    meet(parts, is_top);
  }

  /// One round: every rank reads one rank of each part. Returns all the ranks together.
  Ranks meet(const std::vector<Ranks>& parts, bool is_top) {
    const std::vector<Region> before = value_;
    Ranks together;
    for (const Ranks& mine : parts)
      for (std::size_t position = 0; position < mine.size(); ++position) {
        together.push_back(mine[position]);
        if (parts.size() > 1 || is_top) combine(mine, position, parts, before, is_top);
      }
    return together;
  }

  void combine(const Ranks& mine, std::size_t position, const std::vector<Ranks>& parts,
               const std::vector<Region>& before, bool is_top) {
    const Rank me = mine[position];
    std::vector<Region> operands;
    for (const Ranks& part : parts)
      operands.push_back(&part == &mine ? own_[me] : before[part[position % part.size()]]);
    value_[me] = own_[me] = is_top ? output(me) : scratch(me, value_[me].block + 1u);
    plan_.reduce(me, operands, {value_[me]});
  }

  PlanBuilder& plan_;
  std::uint32_t radix_;
  std::vector<Region> value_;  ///< per rank: the total of the group it has combined so far
  std::vector<Region> own_;    ///< the same, where the rank itself reads it
};

}  // namespace

Plan allreduce_all_read(const Shape& shape) {
  PlanBuilder plan("allreduce.all_read", shape.hierarchy.rank_count());
  AllRead(plan, shape.radix).run(shape.hierarchy.all);
  return std::move(plan).build();
}

}  // namespace terrace
