// SPDX-License-Identifier: BSD-3-Clause
// Reductions over several nodes that combine the operands in the order of their ranks, wherever
// these are: reproducible sums, operators that do not commute, scans, and operators and types of
// the program. Ranks move operands instead of sums, and each element is combined by one rank:
//
//   short   allgather of the operands: each rank combines all that its result needs
//   long    alltoall: each rank gets its slice of all vectors, and combines it
//             allreduce     allgather of the slices
//             reduce        gather of the slices at the root
//             scan, exscan  alltoall of the sums up to each rank
//           reduce_scatter_block: the slices are the blocks, and that is all
//
//   two nodes with ranks 0, 2 and 1, 3; x1 is slice 1 of rank 0's vector x, and so on
//     0: x0 x1 x2 x3      0: x0 y0 z0 w0      0: s0 = ((x0 y0) z0) w0      0: s0 s1 s2 s3
//     1: y0 y1 y2 y3  ->  1: x1 y1 z1 w1  ->  1: s1 = ((x1 y1) z1) w1  ->  1: s0 s1 s2 s3
//     2: z0 z1 z2 z3      2: x2 y2 z2 w2      2: s2 = ...                  2: s0 s1 s2 s3
//
// Traffic of vectors of n bytes on p ranks, to each rank: short p n, long 2 n (scan 2 n,
// reduce_scatter_block its p blocks).
#pragma once

#include <cstddef>
#include <span>

#include "hierarchy/hierarchy.hpp"
#include "preload/dispatch/call_parts.hpp"

namespace terrace::preload {

/// All operands of a call up to this many bytes go to each rank.
inline constexpr std::size_t kMostOfAllOperands = std::size_t{64} << 10;

inline bool is_scan(Collective collective) {
  return collective == Collective::scan || collective == Collective::exscan;
}

/// A reduction's buffers, dense and in the host's memory. `output` is null where this rank has no
/// result.
struct Operands {
  const void* input;
  void* output;
};

/// Counts the sums of `runs`, which are those of `hierarchy_of_runs`.
std::size_t runs_of(const Hierarchy& runs);
/// Combines `count` elements of each operand, in their order: in runs of at most 8 neighbours, and
/// then the sums of the runs, from the first to the last (docs/design/reproducible-sums.md).
/// `sums`: room for those of all runs. `sum` may be an operand.
void combine_by_runs(const Elements& by, const Hierarchy& runs,
                     std::span<const void* const> operands, std::size_t count, std::byte* sums,
                     void* sum);

/// Ends the call on this rank. Uses the call's buffers.
void combine_in_rank_order(CallParts& parts, const RankInCall& who, const Elements& elements,
                           const Operands& of);

}  // namespace terrace::preload
