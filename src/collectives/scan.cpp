// SPDX-License-Identifier: BSD-3-Clause
// Scan and exscan: rank r gets the combination of the inputs of ranks 0 to r, or 0 to r - 1.
//
//     all_read   rank 3 reads 0, 1, 2 at once: one round, work that grows with the square
//     chain      0 ── 1 ── 2 ── 3: each adds its input to what the rank before it has; strips
//                pipeline through it
//     push       0 [A B C D]    rank 0 goes through A from rank to rank and stores each sum where
//                1 [A B C D]    it belongs; rank 1 does B: no rank waits for another's sums
//                ...
//
// Inputs that others read go through scratch first, since in place a rank's output takes the place
// of its input; in push, the same rank does both, and reads first.
// Traffic for n bytes, p ranks: all-read reads p(p + 1)n / 2; chain and push read 2pn and write pn,
// of which push gives each rank the same share, and chain p rounds.
// Order: rank order, the same for every algorithm; domains play no part, since a domain's ranks
// need not follow each other.
#include "collectives/collectives.hpp"

namespace terrace {

namespace {

/// Copies all inputs but the last rank's to where peers read them.
void show_inputs(PlanBuilder& plan, Rank ranks) {
  for (Rank rank = 0; rank + 1 < ranks; ++rank) plan.copy(rank, input(rank), scratch(rank));
}

std::vector<Region> shown_before(Rank rank) {
  std::vector<Region> operands;
  for (Rank peer = 0; peer < rank; ++peer) operands.push_back(scratch(peer));
  return operands;
}

/// The sum before rank `rank` as the owner of a tile has it: two places in turn, as a sum is still
/// needed when the next one is made.
Region sum_before(Rank rank, Rank owner, std::uint32_t tile) {
  if (rank == 1) return input(0).tile(tile);
  return scratch(owner, rank % 2).tile(tile);
}

}  // namespace

Plan scan_all_read(const Shape& shape) {
  const Rank ranks = shape.hierarchy.rank_count();
  PlanBuilder plan("scan.all_read", ranks);
  show_inputs(plan, ranks);
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::vector<Region> operands = shown_before(rank);
    operands.push_back(input(rank));
    plan.reduce(rank, operands, {output(rank)});
  }
  return std::move(plan).build();
}

Plan exscan_all_read(const Shape& shape) {
  const Rank ranks = shape.hierarchy.rank_count();
  PlanBuilder plan("exscan.all_read", ranks);
  show_inputs(plan, ranks);
  for (Rank rank = 1; rank < ranks; ++rank) plan.reduce(rank, shown_before(rank), {output(rank)});
  return std::move(plan).build();
}

Plan scan_chain(const Shape& shape) {
  const Rank ranks = shape.hierarchy.rank_count();
  PlanBuilder plan("scan.chain", ranks);
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::vector<Region> operands = {input(rank)}, targets = {output(rank)};
    if (rank > 0) operands.insert(operands.begin(), scratch(rank - 1));
    if (rank + 1 < ranks) targets.push_back(scratch(rank));
    plan.reduce(rank, operands, targets);
  }
  return std::move(plan).build();
}

Plan exscan_chain(const Shape& shape) {
  const Rank ranks = shape.hierarchy.rank_count();
  PlanBuilder plan("exscan.chain", ranks);
  if (ranks > 1) plan.copy(0, input(0), scratch(0));
  for (Rank rank = 1; rank < ranks; ++rank) {
    if (rank + 1 < ranks) plan.reduce(rank, {scratch(rank - 1), input(rank)}, {scratch(rank)});
    plan.copy(rank, scratch(rank - 1), output(rank));
  }
  return std::move(plan).build();
}

Plan scan_push(const Shape& shape) {
  const Rank ranks = shape.hierarchy.rank_count();
  PlanBuilder plan("scan.push", ranks, ranks);
  for (Rank owner = 0; owner < ranks; ++owner) {
    plan.copy(owner, input(0).tile(owner), output(0).tile(owner));
    for (Rank rank = 1; rank < ranks; ++rank)
      plan.reduce(owner, {output(rank - 1).tile(owner), input(rank).tile(owner)},
                  {output(rank).tile(owner)});
  }
  return std::move(plan).build();
}

Plan exscan_push(const Shape& shape) {
  const Rank ranks = shape.hierarchy.rank_count();
  PlanBuilder plan("exscan.push", ranks, ranks);
  for (Rank owner = 0; owner < ranks; ++owner)
    for (Rank rank = 1; rank < ranks; ++rank) {
      const Region before = sum_before(rank, owner, owner);
      if (rank + 1 < ranks)
        plan.reduce(owner, {before, input(rank).tile(owner)}, {sum_before(rank + 1, owner, owner)});
      plan.copy(owner, before, output(rank).tile(owner));
    }
  return std::move(plan).build();
}

}  // namespace terrace
