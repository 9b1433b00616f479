// SPDX-License-Identifier: BSD-3-Clause
// The tables. Bounds come from sweeps over algorithm, reach and strip size with 2 ranks on two
// cores (2026-11-21, Intel Xeon with AVX-512); more ranks and several domains follow the papers and
// counts of the bytes moved, until somebody measures them.
#include "choose/choose.hpp"

#include <algorithm>
#include <span>

namespace terrace {

namespace {

constexpr std::size_t KiB = 1024;
constexpr Rank kManyRanks = 64;

// Reading everything at once does p times the arithmetic; from about here tiles pay. Nothing direct
// goes through scratch, so strips would only add rounds, and cut what lies in a cache.
constexpr Choice kDirectAllreduce[] = {
    {0, "allreduce.all_read"},
    {1536, "allreduce.push", 8, kWhole},
    {24576 * KiB, "allreduce.push", 8, kWhole, 2, true},
};
constexpr Choice kBouncedAllreduce[] = {
    {0, "allreduce.all_read", 8, 64 * KiB},
    {48 * KiB, "allreduce.tiled", 8, 1024 * KiB},
};
// When ranks take turns on a core, each round costs a turn of everybody: one round is worth much
// copying and adding.
constexpr Choice kCrowdedDirectAllreduce[] = {
    {0, "allreduce.all_read"},
    {12 * KiB, "allreduce.push", 8, kWhole},
};
// Short vectors are bounced, so that the root, or whoever gives, need not wait for those who read.
constexpr Choice kDirectReduce[] = {
    {0, "reduce.all_read", 8, 256 * KiB, 2, false, true},
    {1 * KiB + 1, "reduce.all_read", 8, 256 * KiB},
    {4 * KiB, "reduce.push", 8, kWhole},
};
constexpr Choice kDirectBcast[] = {
    {0, "bcast.staged", 8, 256 * KiB, 2, false, true},
    {1 * KiB + 1, "bcast.split", 8, kWhole},
};
// One rank fills scratch, another empties it: with more slots neither waits for the other's strips.
constexpr Choice kBouncedReduce[] = {
    {0, "reduce.all_read", 8, 8 * KiB, 4},
    {64 * KiB, "reduce.all_read", 8, 16 * KiB, 4},
    {256 * KiB, "reduce.all_read", 8, 64 * KiB, 8},
};
constexpr Choice kBouncedBcast[] = {
    {0, "bcast.staged", 8, 8 * KiB, 4},
    {64 * KiB, "bcast.staged", 8, 16 * KiB, 4},
    {256 * KiB, "bcast.staged", 8, 64 * KiB, 8},
};
// Not measured yet: bounds by analogy with bcast and allreduce. Short blocks are bounced, so that a
// rank need not wait for those who read its own.
constexpr Choice kDirectAllgather[] = {
    {0, "allgather.all_read", 8, 256 * KiB, 2, false, true},
    {1 * KiB + 1, "allgather.staged", 8, kWhole},
};
constexpr Choice kBouncedAllgather[] = {
    {0, "allgather.all_read", 8, 64 * KiB},
    {4 * KiB, "allgather.staged", 8, 64 * KiB},
};
constexpr Choice kDirectGather[] = {
    {0, "gather.flat", 8, 256 * KiB, 2, false, true},
    {1 * KiB + 1, "gather.push", 8, kWhole},
};
constexpr Choice kBouncedGather[] = {
    {0, "gather.flat", 8, 16 * KiB, 4},
    {256 * KiB, "gather.flat", 8, 64 * KiB, 4},
};
constexpr Choice kDirectScatter[] = {
    {0, "scatter.flat", 8, 256 * KiB, 2, false, true},
    {1 * KiB + 1, "scatter.flat", 8, kWhole},
};
constexpr Choice kBouncedScatter[] = {
    {0, "scatter.flat", 8, 16 * KiB, 4},
};
constexpr Choice kDirectAlltoall[] = {
    {0, "alltoall.all_read", 8, 64 * KiB},
    {4 * KiB, "alltoall.pairwise", 8, 64 * KiB},
};
constexpr Choice kBouncedAlltoall[] = {
    {0, "alltoall.all_read", 8, 64 * KiB},
};
constexpr Choice kReduceScatterBlock[] = {
    {0, "reduce_scatter_block.flat", 8, 64 * KiB},
    {1 * KiB, "reduce_scatter_block.staged", 8, 256 * KiB},
};
// Partials of runs, as the other collectives have them.
constexpr Choice kReduceScatterBlockByCount[] = {
    {0, "reduce_scatter_block.staged", 8, 256 * KiB},
};
// All-read adds up what others have added up as well; longer vectors are worth a plan that does
// not. Among very many ranks push has too many steps, and a chain has few.
constexpr Choice kScan[] = {
    {0, "scan.all_read", 8, 64 * KiB},
    {4 * KiB, "scan.push", 8, 1024 * KiB},
};
constexpr Choice kExscan[] = {
    {0, "exscan.all_read", 8, 64 * KiB},
    {4 * KiB, "exscan.push", 8, 1024 * KiB},
};
constexpr Choice kLongScan[] = {
    {0, "scan.all_read", 8, 64 * KiB},
    {4 * KiB, "scan.chain", 8, 16 * KiB, 4},
};
constexpr Choice kLongExscan[] = {
    {0, "exscan.all_read", 8, 64 * KiB},
    {4 * KiB, "exscan.chain", 8, 16 * KiB, 4},
};
constexpr Choice kBarrier[] = {
    {0, "barrier.all_read"},
};

std::span<const Choice> allreduce_table(const TeamTraits& traits) {
  if (!traits.can_be_direct) return kBouncedAllreduce;
  return traits.is_crowded ? std::span<const Choice>(kCrowdedDirectAllreduce) : kDirectAllreduce;
}

std::span<const Choice> block_table(Collective collective, bool direct) {
  using Rows = std::span<const Choice>;
  switch (collective) {
    case Collective::allgather:
      return direct ? Rows(kDirectAllgather) : kBouncedAllgather;
    case Collective::gather:
      return direct ? Rows(kDirectGather) : kBouncedGather;
    case Collective::scatter:
      return direct ? Rows(kDirectScatter) : kBouncedScatter;
    case Collective::alltoall:
      return direct ? Rows(kDirectAlltoall) : kBouncedAlltoall;
    default:
      return kReduceScatterBlock;
  }
}

std::span<const Choice> table(Collective collective, const TeamTraits& traits) {
  const bool direct = traits.can_be_direct;
  switch (collective) {
    case Collective::barrier:
      return kBarrier;
    case Collective::bcast:
      return direct ? std::span<const Choice>(kDirectBcast) : kBouncedBcast;
    case Collective::reduce:
      return direct ? std::span<const Choice>(kDirectReduce) : kBouncedReduce;
    case Collective::allreduce:
      return allreduce_table(traits);
    case Collective::scan:
      return traits.ranks > kManyRanks ? std::span<const Choice>(kLongScan) : kScan;
    case Collective::exscan:
      return traits.ranks > kManyRanks ? std::span<const Choice>(kLongExscan) : kExscan;
    default:
      return block_table(collective, direct);
  }
}

}  // namespace

Choice choose(const Question& question, const TeamTraits& traits) {
  Choice choice;
  const bool is_by_count = question.order == Order::by_count;
  const bool scatters = question.collective == Collective::reduce_scatter_block;
  for (const Choice& row : is_by_count&& scatters
                               ? std::span<const Choice>(kReduceScatterBlockByCount)
                               : table(question.collective, traits))
    if (row.from_bytes <= question.bytes) choice = row;
  // One round, then, however many they are.
  if (traits.is_crowded) choice.radix = std::max(traits.ranks, 2u);
  return choice;
}

}  // namespace terrace
