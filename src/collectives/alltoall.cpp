// SPDX-License-Identifier: BSD-3-Clause
// Alltoall: block b of rank r's input becomes block r of rank b's output.
//
//     all_read   0 [a b c]      each rank copies its blocks to where peers read them, then reads
//                1 [d e f]      its own block of each peer: 0 gets a d g
//                2 [g h i]
//     pairwise   0: keep b      of each pair one rank keeps a copy of what the other needs, reads
//                0: b = d       the other's block, and then the other takes the copy
//                1: d = b kept
//
// In place, a rank's output takes the place of blocks that peers still need, so one of a pair has
// to be copied first; over lines, and through scratch, blocks are copied in any case.
// Traffic for blocks of n bytes, p ranks: all-read copies p(p - 1)n once more, pairwise half that.
// Each block crosses a domain boundary at most once: leaders would save nothing.
// Order: nothing is combined.
#include "collectives/collectives.hpp"
#include "collectives/domains.hpp"

namespace terrace {

namespace {

/// Where a rank keeps the block for `peer`.
Region kept(Rank rank, Rank peer) {
  return scratch(rank, peer < rank ? peer : peer - 1);
}

void keep_own_blocks(PlanBuilder& plan, Rank ranks) {
  for (Rank rank = 0; rank < ranks; ++rank) plan.copy(rank, input(rank, rank), output(rank, rank));
}

/// Half of a rank's pairs each way, so that all copy about as much.
bool keeps(Rank rank, Rank peer) {
  return (rank < peer) == ((rank + peer) % 2 == 1);
}

void exchange(PlanBuilder& plan, Rank keeper, Rank peer) {
  plan.copy(keeper, input(peer, keeper), output(keeper, peer));
  plan.copy(peer, kept(keeper, peer), output(peer, keeper));
}

}  // namespace

Plan alltoall_all_read(const Shape& shape) {
  const std::vector<Rank>& ranks = shape.hierarchy.all.ranks;
  PlanBuilder plan("alltoall.all_read", shape.hierarchy.rank_count());
  for (Rank rank : ranks)
    for (Rank peer : others_from(ranks, rank)) plan.copy(rank, input(rank, peer), kept(rank, peer));
  for (Rank rank : ranks)
    for (Rank peer : others_from(ranks, rank))
      plan.copy(rank, kept(peer, rank), output(rank, peer));
  keep_own_blocks(plan, shape.hierarchy.rank_count());
  return std::move(plan).build();
}

/// In a round, the numbers of a pair add up to the round's, modulo ranks: each rank is in one pair.
Plan alltoall_pairwise(const Shape& shape) {
  const Rank ranks = shape.hierarchy.rank_count();
  PlanBuilder plan("alltoall.pairwise", ranks);
  for (Rank rank : shape.hierarchy.all.ranks)
    for (Rank peer : others_from(shape.hierarchy.all.ranks, rank))
      if (keeps(rank, peer)) plan.copy(rank, input(rank, peer), kept(rank, peer));
  for (Rank round = 0; round < ranks; ++round)
    for (Rank rank = 0; rank < ranks; ++rank)
      if (const Rank peer = (round + ranks - rank) % ranks; peer != rank && keeps(rank, peer))
        exchange(plan, rank, peer);
  keep_own_blocks(plan, ranks);
  return std::move(plan).build();
}

}  // namespace terrace
