// SPDX-License-Identifier: BSD-3-Clause
// Alltoall: block b of rank r's input becomes block r of rank b's output.
//
//     flat       0 [a b c]      each rank reads its own block of each peer: 0 gets a d g
//                1 [d e f]
//                2 [g h i]
//     all_read   0 [a b c]      each rank copies its blocks to where peers read them, then reads
//                1 [d e f]      its own block of each peer: 0 gets a d g
//                2 [g h i]
//     pairwise   0: keep b      of each pair one rank keeps a copy of what the other needs,
//                0: b = d       then the keepers read the others' blocks,
//                1: d = b kept  then the others take the copies
//
// In place, a rank's output takes the place of blocks that peers still need: flat has those ranks
// bounced, which copies their blocks to scratch first; the others copy one of each pair there
// themselves. Over lines, and bounced, blocks are copied in any case.
// Each rank has a step for all its copies of a kind, so that it waits for all peers at once.
// Traffic for blocks of n bytes, p ranks: all-read copies p(p - 1)n once more, pairwise half that.
// Each block crosses a domain boundary at most once: leaders would save nothing.
// Order: nothing is combined.
#include "collectives/collectives.hpp"
#include "collectives/domains.hpp"

namespace terrace {

namespace {

/// Returns where a rank keeps the block for `peer`.
Region kept(Rank rank, Rank peer) {
  return scratch(rank, peer < rank ? peer : peer - 1);
}

/// Half of a rank's pairs each way, so that all copy about as much.
bool keeps(Rank rank, Rank peer) {
  return (rank < peer) == ((rank + peer) % 2 == 1);
}

/// A step for each rank: `copy_of(rank, peer)` for those of its peers that `is_one(rank, peer)`.
template <class IsOne, class CopyOf>
void copy_by_all(PlanBuilder& plan, const std::vector<Rank>& ranks, IsOne is_one, CopyOf copy_of) {
  for (Rank rank : ranks) {
    std::vector<Copy> copies;
    for (Rank peer : others_from(ranks, rank))
      if (is_one(rank, peer)) copies.push_back(copy_of(rank, peer));
    plan.copy_each(rank, copies);
  }
}

Copy keep(Rank rank, Rank peer) {
  return {input(rank, peer), kept(rank, peer)};
}

Copy read(Rank rank, Rank peer) {
  return {input(peer, rank), output(rank, peer)};
}

Copy take(Rank rank, Rank peer) {
  return {kept(peer, rank), output(rank, peer)};
}

}  // namespace

Plan alltoall_flat(const Shape& shape) {
  const std::vector<Rank>& ranks = shape.hierarchy.all.ranks;
  PlanBuilder plan("alltoall.flat", shape.hierarchy.rank_count());
  plan.bounce_in_place();
  keep_own_blocks(plan, ranks);
  copy_by_all(
      plan, ranks, [](Rank, Rank) { return true; }, read);
  return std::move(plan).build();
}

/// Own blocks are copied while others' are on their way.
Plan alltoall_all_read(const Shape& shape) {
  const std::vector<Rank>& ranks = shape.hierarchy.all.ranks;
  PlanBuilder plan("alltoall.all_read", shape.hierarchy.rank_count());
  const auto all = [](Rank, Rank) { return true; };
  copy_by_all(plan, ranks, all, keep);
  keep_own_blocks(plan, ranks);
  copy_by_all(plan, ranks, all, take);
  return std::move(plan).build();
}

Plan alltoall_pairwise(const Shape& shape) {
  const std::vector<Rank>& ranks = shape.hierarchy.all.ranks;
  PlanBuilder plan("alltoall.pairwise", shape.hierarchy.rank_count());
  const auto is_kept = [](Rank rank, Rank peer) { return keeps(peer, rank); };
  copy_by_all(plan, ranks, keeps, keep);
  keep_own_blocks(plan, ranks);
  copy_by_all(plan, ranks, keeps, read);
  copy_by_all(plan, ranks, is_kept, take);
  return std::move(plan).build();
}

}  // namespace terrace
