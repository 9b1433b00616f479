// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter_block as HPDC'13's longer manuscript has it: a reduction of everything to rank 0,
// then a scatter.
//
//     0 [A B C D] ─┬─ 1 [A B C D]         up     a tree, all blocks together, to rank 0's scratch
//                  └─ 2 [..] ─ 3 [..]     down   rank 1 takes B of the totals, 2 takes C, ...
//
// Traffic for blocks of n bytes, p ranks: the tree reads and writes vectors of pn at each inner
// rank, which `reduce_scatter_block.flat` and `.staged` do not. Order: rank order, in rounds of
// `radix` neighbours; the same for all blocks.
#include <algorithm>

#include "collectives/collectives.hpp"

namespace terrace {

namespace {

/// Returns where a rank has its sum of a block: its input at first.
Region part_of_block(Rank rank, std::uint32_t block, bool is_summed) {
  return is_summed ? scratch(rank, block) : input(rank, block);
}

class Blocks {
 public:
  Blocks(PlanBuilder& plan, Rank ranks) : plan_(plan), ranks_(ranks), is_summed_(ranks) {}

  /// The first of them adds up what all of them have.
  void combine(const std::vector<Rank>& ranks) {
    if (ranks.size() == 1) return;
    const Rank by = ranks.front();
    for (Rank block = 0; block < ranks_; ++block) {
      std::vector<Region> operands;
      for (Rank rank : ranks) operands.push_back(part_of_block(rank, block, is_summed_[rank]));
      plan_.reduce(by, operands, {scratch(by, block)});
    }
    is_summed_[by] = true;
  }

  void scatter() {
    for (Rank rank = 0; rank < ranks_; ++rank)
      plan_.copy(rank, part_of_block(0, rank, is_summed_[0]), output(rank));
  }

 private:
  PlanBuilder& plan_;
  Rank ranks_;
  std::vector<bool> is_summed_;
};

}  // namespace

Plan reduce_scatter_block_reduce_then_scatter(const Shape& shape) {
  const Rank ranks = shape.hierarchy.rank_count();
  PlanBuilder plan("reduce_scatter_block.reduce_then_scatter", ranks);
  Blocks blocks(plan, ranks);
  std::vector<Rank> holders = shape.hierarchy.all.ranks;
  while (holders.size() > 1) {
    std::vector<Rank> next;
    for (std::size_t first = 0; first < holders.size(); first += shape.radix) {
      const std::size_t count = std::min<std::size_t>(shape.radix, holders.size() - first);
      const auto begin = holders.begin() + static_cast<std::ptrdiff_t>(first);
      blocks.combine({begin, begin + static_cast<std::ptrdiff_t>(count)});
      next.push_back(holders[first]);
    }
    holders = std::move(next);
  }
  blocks.scatter();
  return std::move(plan).build();
}

}  // namespace terrace
