// SPDX-License-Identifier: BSD-3-Clause
// The tables. Bounds come from sweeps over algorithm, reach and strip size with 2 ranks on two
// cores (2026-11-20, Intel Xeon with AVX-512); more ranks and several domains follow the papers and
// counts of the bytes moved, until somebody measures them.
#include "choose/choose.hpp"

#include <algorithm>
#include <span>

namespace terrace {

namespace {

constexpr std::size_t KiB = 1024;

/// From here on a value does not fit a mailbox line, and lies in its rank's own memory.
constexpr std::size_t kLongBytes = 49;

// Reading everything at once does p times the arithmetic; from about here tiles pay.
constexpr Choice kDirectAllreduce[] = {
    {0, "allreduce.all_read"},
    {1 * KiB, "allreduce.push", 8, 1024 * KiB},
};
constexpr Choice kBouncedAllreduce[] = {
    {0, "allreduce.all_read"},
    {12 * KiB, "allreduce.tiled", 8, 64 * KiB},
    {512 * KiB, "allreduce.tiled", 8, 1024 * KiB},
};
constexpr Choice kDirectReduce[] = {
    {0, "reduce.all_read", 8, 256 * KiB},
    {16 * KiB, "reduce.tiled", 8, 1024 * KiB},
};
// A pair gains nothing from tiles until the caches overflow: the root reads one input either way.
constexpr Choice kDirectPairReduce[] = {
    {0, "reduce.all_read", 8, 256 * KiB},
    {2048 * KiB, "reduce.tiled", 8, 1024 * KiB},
};
// One rank fills scratch, another empties it: with 8 slots neither waits for the other's strips.
constexpr Choice kBouncedReduce[] = {
    {0, "reduce.all_read", 8, 16 * KiB},
    {64 * KiB, "reduce.all_read", 8, 32 * KiB, 8},
};
constexpr Choice kDirectBcast[] = {
    {0, "bcast.staged", 8, 1024 * KiB},
};
constexpr Choice kBouncedBcast[] = {
    {0, "bcast.staged", 8, 16 * KiB},
    {64 * KiB, "bcast.staged", 8, 32 * KiB, 8},
};
constexpr Choice kBarrier[] = {
    {0, "barrier.all_read"},
};

std::span<const Choice> table(Collective collective, const TeamTraits& traits) {
  const bool direct = traits.can_be_direct;
  switch (collective) {
    case Collective::barrier:
      return kBarrier;
    case Collective::bcast:
      return direct ? std::span<const Choice>(kDirectBcast) : kBouncedBcast;
    case Collective::reduce:
      if (!direct) return kBouncedReduce;
      return traits.ranks == 2 ? std::span<const Choice>(kDirectPairReduce) : kDirectReduce;
    case Collective::allreduce:
      break;
  }
  return direct ? std::span<const Choice>(kDirectAllreduce) : kBouncedAllreduce;
}

}  // namespace

Choice choose(const Question& question, const TeamTraits& traits) {
  Choice choice;
  for (const Choice& row : table(question.collective, traits))
    if (row.from_bytes <= question.bytes) choice = row;
  // When ranks take turns on a core, each round costs a turn of everybody: one round, then.
  if (traits.is_crowded && question.bytes < kLongBytes) choice.radix = std::max(traits.ranks, 2u);
  return choice;
}

}  // namespace terrace
