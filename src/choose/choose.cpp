// SPDX-License-Identifier: BSD-3-Clause
// The tables. Bounds come from bench/allreduce and bench/crowded on two cores (docs/status.md says
// which runs); more ranks and several domains follow the papers and the anchors until measured.
#include "choose/choose.hpp"

#include <algorithm>
#include <span>

namespace terrace {

namespace {

constexpr std::size_t KiB = 1024;

/// A mailbox line carries this much; beyond it values lie in the ranks' own memory.
constexpr std::size_t kShort = 49;

// Reading everything at once does p times the arithmetic; from about here tiles pay.
constexpr Choice kDirectAllreduce[] = {
    {0, "allreduce.all_read"},
    {4 * KiB, "allreduce.push", 8, 1024 * KiB},
};
constexpr Choice kBouncedAllreduce[] = {
    {0, "allreduce.all_read"},
    {2 * KiB, "allreduce.tiled", 8, 256 * KiB},
};
constexpr Choice kDirectReduce[] = {
    {0, "reduce.all_read"},
    {8 * KiB, "reduce.tiled", 8, 256 * KiB},
};
constexpr Choice kBouncedReduce[] = {
    {0, "reduce.all_read", 8, 64 * KiB},
};
constexpr Choice kDirectBcast[] = {
    {0, "bcast.staged", 8, 1024 * KiB},
};
constexpr Choice kBouncedBcast[] = {
    {0, "bcast.staged", 8, 64 * KiB},
};
constexpr Choice kBarrier[] = {
    {0, "barrier.all_read"},
};

std::span<const Choice> table(Collective collective, bool direct) {
  switch (collective) {
    case Collective::barrier: return kBarrier;
    case Collective::bcast: return direct ? std::span<const Choice>(kDirectBcast) : kBouncedBcast;
    case Collective::reduce:
      return direct ? std::span<const Choice>(kDirectReduce) : kBouncedReduce;
    case Collective::allreduce: break;
  }
  return direct ? std::span<const Choice>(kDirectAllreduce) : kBouncedAllreduce;
}

}  // namespace

Choice choose(const Question& question, const TeamTraits& traits) {
  Choice choice;
  for (const Choice& row : table(question.collective, traits.can_be_direct))
    if (row.from_bytes <= question.bytes) choice = row;
  // When ranks take turns on a core, each round costs a turn of everybody: one round, then.
  if (traits.is_crowded && question.bytes < kShort) choice.radix = std::max(traits.ranks, 2u);
  return choice;
}

}  // namespace terrace
