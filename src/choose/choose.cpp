// SPDX-License-Identifier: BSD-3-Clause
// The tables, with the algorithms' names after the dot. Bounds come from sweeps over algorithm,
// reach and strip size with 2 ranks on two cores (2026-11-21, Intel Xeon with AVX-512), and with 4
// to 16 that take turns on them. More ranks with a core each follow predictions, until somebody
// measures them: many_ranks.inc.
#include "choose/choose.hpp"

#include <algorithm>
#include <span>

namespace terrace {

namespace {

constexpr std::size_t KiB = 1024;
constexpr Rank kManyRanks = 64;
/// As `hierarchy_of_runs` has them.
constexpr Rank kRanksOfRun = 8;
/// Teams of two were measured, and so were ranks that take turns on a core.
constexpr Rank kMeasuredRanks = 2;
/// Shorter vectors are bounced although heaps are shared: whoever gives need not wait for those who
/// take, and most lie in blocks too short for the heap anyway.
constexpr std::size_t kFromHeaps = 64 * KiB;

/// The kernel copies whole blocks, for whoever takes them; from here on that may be worth a call of
/// the system: with two processes, blocks of 64 KiB are 1.1 to 1.4 times slower, of 256 KiB up
/// to 1.5 times faster (docs/design/reach.md). Of a bcast it is not: one core then does what
/// bouncing divides.
constexpr std::size_t kFromPulled = 128 * KiB;

// Reading everything at once does p times the arithmetic; from about here tiles pay. Nothing direct
// goes through scratch, so strips would only add rounds, and cut what lies in a cache.
constexpr Choice kDirectAllreduce[] = {
    {.algorithm = "all_read"},
    {.from_bytes = 1536, .algorithm = "push", .strip_bytes = kWhole},
    {.from_bytes = 24576 * KiB, .algorithm = "push", .strip_bytes = kWhole, .streams = true},
};
constexpr Choice kBouncedAllreduce[] = {
    {.algorithm = "all_read"},
    {.from_bytes = 48 * KiB, .algorithm = "tiled", .strip_bytes = 1024 * KiB},
};
// When ranks take turns on a core, each round costs a turn of everybody: one round is worth much
// copying and adding.
constexpr Choice kCrowdedDirectAllreduce[] = {
    {.algorithm = "all_read"},
    {.from_bytes = 12 * KiB, .algorithm = "push", .strip_bytes = kWhole},
};
// Where many take turns, what each must look at counts more than a round: whoever gathers looks at
// all, the others at one. Threads on two cores, all-read or push, and tree: 64 ranks 8 B 61 and 48
// us, 4 KiB 130 and 61, 128 KiB 1150 and 330; 16 ranks 10.4 and 9.4, 19 and 15, 64 and 65.
constexpr Rank kManyTakeTurns = 16;
constexpr Choice kManyCrowdedDirect[] = {
    {.algorithm = "tree", .strip_bytes = kWhole},
};
// Short vectors are bounced, so that the root, or whoever gives, need not wait for those who read.
constexpr Choice kDirectReduce[] = {
    {.algorithm = "all_read", .strip_bytes = 256 * KiB, .bounces = true},
    {.from_bytes = 1 * KiB + 1, .algorithm = "all_read", .strip_bytes = 256 * KiB},
    {.from_bytes = 4 * KiB, .algorithm = "push", .strip_bytes = kWhole},
};
constexpr Choice kDirectBcast[] = {
    {.algorithm = "staged", .strip_bytes = 256 * KiB, .bounces = true},
    {.from_bytes = 1 * KiB + 1, .algorithm = "split", .strip_bytes = kWhole},
};
// One rank fills scratch, another empties it: with more slots neither waits for the other's strips.
constexpr Choice kBouncedReduce[] = {
    {.algorithm = "all_read", .strip_bytes = 8 * KiB, .ring = 4},
    {.from_bytes = 64 * KiB, .algorithm = "all_read", .strip_bytes = 16 * KiB, .ring = 4},
    {.from_bytes = 256 * KiB, .algorithm = "all_read", .ring = 8},
};
constexpr Choice kBouncedBcast[] = {
    {.algorithm = "staged", .strip_bytes = 8 * KiB, .ring = 4},
    {.from_bytes = 64 * KiB, .algorithm = "staged", .strip_bytes = 16 * KiB, .ring = 4},
    {.from_bytes = 256 * KiB, .algorithm = "staged", .ring = 8},
};
// Among processes that reach each other's heaps. Strips are such as scratch has room for, should a
// buffer be bounced after all; two processes on two cores, direct, beside the bounced rows: 64 KiB
// take half of the time, 256 KiB a third (bench/preload, docs/design/reach.md).
constexpr Choice kHeapsSums[] = {{.algorithm = "push", .ring = 8}};
constexpr Choice kHeapsBcast[] = {{.algorithm = "split", .ring = 8}};
// Short blocks are bounced, so that a rank need not wait for those who read its own; strips of what
// is direct only add rounds.
constexpr Choice kDirectAllgather[] = {
    {.algorithm = "all_read", .bounces = true},
    {.from_bytes = 1 * KiB + 1, .algorithm = "staged", .strip_bytes = kWhole},
    {.from_bytes = 2048 * KiB, .algorithm = "push", .strip_bytes = kWhole},
};
constexpr Choice kDirectGather[] = {
    {.algorithm = "flat", .bounces = true},
    {.from_bytes = 1 * KiB + 1, .algorithm = "push", .strip_bytes = kWhole},
};
constexpr Choice kDirectScatter[] = {
    {.algorithm = "flat", .bounces = true},
    {.from_bytes = 1 * KiB + 1, .algorithm = "flat", .strip_bytes = kWhole},
};
// All-read copies each block twice, but nobody waits for readers of what is short. Two threads on
// two cores, all-read and flat: 2 KiB 0.77 and 0.83 us, 8 KiB 1.66 and 1.51.
constexpr Choice kDirectAlltoall[] = {
    {.algorithm = "all_read", .strip_bytes = kWhole},
    {.from_bytes = 4 * KiB, .algorithm = "flat", .strip_bytes = kWhole},
};
// Likewise; bounced and direct: 2 KiB 0.75 and 0.85 us, 8 KiB 1.76 and 1.55.
constexpr Choice kDirectReduceScatterBlock[] = {
    {.algorithm = "flat", .strip_bytes = 256 * KiB, .bounces = true},
    {.from_bytes = 4 * KiB, .algorithm = "staged", .strip_bytes = kWhole},
};
constexpr Choice kCrowdedDirectReduceScatterBlock[] = {
    {.algorithm = "flat", .strip_bytes = 256 * KiB, .bounces = true},
    {.from_bytes = 128 * KiB, .algorithm = "staged", .strip_bytes = kWhole},
};
// Among processes that reach each other's heaps, two on two cores: of 64 KiB alltoall takes 8.9 us
// bounced and 12.7 direct, allgather 8.7 and 10.1; of 256 KiB 37 and 35, and 43 and 27.
constexpr Choice kHeapsAllgather[] = {
    {.algorithm = "staged", .bounces = true},
    {.from_bytes = 128 * KiB, .algorithm = "staged", .strip_bytes = kWhole},
    {.from_bytes = 2048 * KiB, .algorithm = "push", .strip_bytes = kWhole},
};
constexpr Choice kHeapsAlltoall[] = {
    {.algorithm = "flat", .strip_bytes = kWhole},
};
// When ranks take turns on a core, whoever waits for its readers waits for their turns.
constexpr Choice kCrowdedDirectAllgather[] = {
    {.algorithm = "all_read", .bounces = true},
    {.from_bytes = 64 * KiB, .algorithm = "staged", .strip_bytes = kWhole},
};
constexpr Choice kCrowdedDirectGather[] = {
    {.algorithm = "flat", .bounces = true},
    {.from_bytes = 8 * KiB, .algorithm = "push", .strip_bytes = kWhole},
};
constexpr Choice kCrowdedDirectScatter[] = {
    {.algorithm = "flat", .bounces = true},
    {.from_bytes = 64 * KiB, .algorithm = "flat", .strip_bytes = kWhole},
};
constexpr Choice kCrowdedDirectAlltoall[] = {
    {.algorithm = "all_read", .bounces = true},
    {.from_bytes = 12 * KiB, .algorithm = "pairwise", .bounces = true},
};
constexpr Choice kCrowdedDirectScan[] = {
    {.algorithm = "all_read", .bounces = true},
    {.from_bytes = 32 * KiB, .algorithm = "push", .strip_bytes = kWhole},
};
// Strips from 16 to 128 KiB were tried with two processes (bench/preload): 64 KiB are best, or as
// good as any, at each size; short strips cost up to 10 times as much.
constexpr Choice kBouncedAllgather[] = {
    {.algorithm = "all_read"},
    {.from_bytes = 4 * KiB, .algorithm = "staged"},
};
constexpr Choice kBouncedGather[] = {
    {.algorithm = "flat", .strip_bytes = 16 * KiB, .ring = 4},
    {.from_bytes = 256 * KiB, .algorithm = "flat", .ring = 4},
};
constexpr Choice kBouncedScatter[] = {
    {.algorithm = "flat", .strip_bytes = 16 * KiB, .ring = 4},
};
constexpr Choice kBouncedAlltoall[] = {
    {.algorithm = "all_read"},
};
// When ranks take turns on a core, each strip costs a turn of everybody. Four processes on two busy
// cores, strips of 64 KiB before: allgather of 256 KiB 25 ms and now 8, 1 MiB 96 and 21; alltoall
// of 1 MiB 100 and 54.
constexpr Choice kCrowdedBouncedAllgather[] = {
    {.algorithm = "all_read"},
    {.from_bytes = 4 * KiB, .algorithm = "staged", .strip_bytes = 1024 * KiB},
};
constexpr Choice kCrowdedBouncedAlltoall[] = {
    {.algorithm = "all_read", .strip_bytes = 1024 * KiB},
};
constexpr Choice kBouncedReduceScatterBlock[] = {
    {.algorithm = "flat"},
    {.from_bytes = 1 * KiB, .algorithm = "staged", .strip_bytes = 256 * KiB},
};
// Partials of runs, as the other collectives have them.
constexpr Choice kReduceScatterBlockByCount[] = {
    {.algorithm = "staged", .strip_bytes = 256 * KiB},
};
// All-read adds up what others have added up as well; longer vectors are worth a plan that does
// not. Among very many ranks push has too many steps, and a chain has few.
constexpr Choice kDirectScan[] = {
    {.algorithm = "all_read", .bounces = true},
    {.from_bytes = 3 * KiB, .algorithm = "push", .strip_bytes = kWhole},
};
constexpr Choice kBouncedScan[] = {
    {.algorithm = "all_read"},
    {.from_bytes = 4 * KiB, .algorithm = "push", .strip_bytes = 1024 * KiB},
};
constexpr Choice kLongScan[] = {
    {.algorithm = "all_read"},
    {.from_bytes = 4 * KiB, .algorithm = "chain", .strip_bytes = 16 * KiB, .ring = 4},
};
constexpr Choice kBarrier[] = {
    {.algorithm = "all_read"},
};

using Rows = std::span<const Choice>;

/// How many ranks a team has, roughly.
enum class Size : std::uint8_t { few, some, many, most };

/// A row of a table for teams of one size and form, where ranks have a core each.
struct ManyRanksRow {
  Size size;
  TeamForm form;
  bool is_direct;
  Collective collective;
  Choice choice;
};
#define ROW(size, form, is_direct, collective, ...) \
  {Size::size, TeamForm::form, is_direct, Collective::collective, {__VA_ARGS__}},
constexpr ManyRanksRow kManyRanksRows[] = {
#include "choose/many_ranks.inc"
};
#undef ROW

Size size_of(Rank ranks) {
  if (ranks < 6) return Size::few;
  if (ranks < 12) return Size::some;
  return ranks < 24 ? Size::many : Size::most;
}

/// Runs of neighbours take the machine's place where the order depends on the number of ranks, and
/// nothing does where it is that of the ranks.
TeamForm form_for(const Question& question, const TeamTraits& traits) {
  if (!combines(question.collective) || question.order == Order::by_machine) return traits.form;
  const bool has_runs = question.order == Order::by_count && traits.ranks > kRanksOfRun;
  return has_runs ? TeamForm::domains : TeamForm::flat;
}

/// Nothing for collectives of which there are no predictions.
std::optional<Choice> predicted(const Question& question, const TeamTraits& traits,
                                bool is_direct) {
  std::optional<Choice> choice;
  const TeamForm form = form_for(question, traits);
  for (const ManyRanksRow& row : kManyRanksRows)
    if (row.size == size_of(traits.ranks) && row.form == form && row.is_direct == is_direct &&
        row.collective == question.collective && row.choice.from_bytes <= question.bytes)
      choice = row.choice;
  return choice;
}

Rows bounced_table(Collective collective, const TeamTraits& traits) {
  switch (collective) {
    case Collective::barrier:
      return kBarrier;
    case Collective::bcast:
      return kBouncedBcast;
    case Collective::reduce:
      return kBouncedReduce;
    case Collective::allreduce:
      return kBouncedAllreduce;
    case Collective::allgather:
      return traits.is_crowded ? Rows(kCrowdedBouncedAllgather) : kBouncedAllgather;
    case Collective::gather:
      return kBouncedGather;
    case Collective::scatter:
      return kBouncedScatter;
    case Collective::alltoall:
      return traits.is_crowded ? Rows(kCrowdedBouncedAlltoall) : kBouncedAlltoall;
    case Collective::reduce_scatter_block:
      return kBouncedReduceScatterBlock;
    default:
      break;  // scan and exscan
  }
  return traits.ranks > kManyRanks ? Rows(kLongScan) : kBouncedScan;
}

Rows direct_table(Collective collective, const TeamTraits& traits) {
  const auto either = [&traits](Rows alone, Rows crowded) {
    return traits.is_crowded ? crowded : alone;
  };
  const bool many_take_turns = traits.is_crowded && traits.ranks >= kManyTakeTurns;
  switch (collective) {
    case Collective::barrier:
      return many_take_turns ? Rows(kManyCrowdedDirect) : kBarrier;
    case Collective::bcast:
      return kDirectBcast;
    case Collective::reduce:
      return kDirectReduce;
    case Collective::allreduce:
      return many_take_turns ? Rows(kManyCrowdedDirect)
                             : either(kDirectAllreduce, kCrowdedDirectAllreduce);
    case Collective::allgather:
      return either(kDirectAllgather, kCrowdedDirectAllgather);
    case Collective::gather:
      return either(kDirectGather, kCrowdedDirectGather);
    case Collective::scatter:
      return either(kDirectScatter, kCrowdedDirectScatter);
    case Collective::alltoall:
      return either(kDirectAlltoall, kCrowdedDirectAlltoall);
    case Collective::reduce_scatter_block:
      return either(kDirectReduceScatterBlock, kCrowdedDirectReduceScatterBlock);
    default:
      break;  // scan and exscan
  }
  return traits.ranks > kManyRanks ? Rows(kLongScan) : either(kDirectScan, kCrowdedDirectScan);
}

/// Buffers in heaps are direct, but other ones of the same call may be bounced.
Rows heaps_table(Collective collective, const TeamTraits& traits) {
  switch (collective) {
    case Collective::bcast:
      return kHeapsBcast;
    case Collective::reduce:
    case Collective::allreduce:
      return kHeapsSums;
    case Collective::allgather:
      return traits.is_crowded ? direct_table(collective, traits) : kHeapsAllgather;
    case Collective::alltoall:
      return traits.is_crowded ? direct_table(collective, traits) : kHeapsAlltoall;
    default:
      return direct_table(collective, traits);
  }
}

Rows table(const Question& question, const TeamTraits& traits) {
  if (traits.can_be_direct) return direct_table(question.collective, traits);
  return traits.reaches_heaps && question.bytes >= kFromHeaps
             ? heaps_table(question.collective, traits)
             : bounced_table(question.collective, traits);
}

/// As the table of algorithms has it.
std::string_view full_name(Collective collective, std::string_view last_word) {
  for (const Algorithm& row : algorithms())
    if (row.collective == collective && row.name.substr(row.name.find('.') + 1) == last_word)
      return row.name;
  return last_word;  // a test asks for each row
}

Choice last_of(Rows rows, std::size_t bytes) {
  Choice choice;
  for (const Choice& row : rows)
    if (row.from_bytes <= bytes) choice = row;
  return choice;
}

/// What other buffers of a call than those in heaps go through has to fit scratch in strips.
Choice for_heaps(Choice choice) {
  choice.strip_bytes = std::min(choice.strip_bytes, Choice{}.strip_bytes);
  return choice;
}

Choice row_for(const Question& question, const TeamTraits& traits) {
  const bool scatters = question.collective == Collective::reduce_scatter_block;
  if (scatters && question.order == Order::by_count)
    return last_of(kReduceScatterBlockByCount, question.bytes);
  if (traits.ranks > kMeasuredRanks && !traits.is_crowded) {
    const bool has_heaps = traits.reaches_heaps && question.bytes >= kFromHeaps;
    const auto choice = predicted(question, traits, traits.can_be_direct || has_heaps);
    if (choice) return has_heaps && !traits.can_be_direct ? for_heaps(*choice) : *choice;
  }
  return last_of(table(question, traits), question.bytes);
}

}  // namespace

TeamForm form_of(const Hierarchy& hierarchy) {
  const auto& domains = hierarchy.all.children;
  if (domains.empty()) return TeamForm::flat;
  const bool are_alone = std::all_of(domains.begin(), domains.end(),
                                     [](const Group& domain) { return domain.ranks.size() == 1; });
  return are_alone ? TeamForm::alone : TeamForm::domains;
}

Choice choose(const Question& question, const TeamTraits& traits) {
  Choice choice = row_for(question, traits);
  if (question.bytes < kFromHeaps && traits.reaches_heaps) choice.bounces = true;
  choice.algorithm = full_name(question.collective, choice.algorithm);
  // One round, then, however many they are.
  if (traits.is_crowded) choice.radix = std::max(traits.ranks, 2u);
  return choice;
}

std::optional<Choice> choose_pulled(const Question& question, const TeamTraits& traits) {
  if (question.bytes < kFromPulled) return std::nullopt;
  Choice choice;
  choice.strip_bytes = kWhole;
  if (traits.is_crowded) choice.radix = std::max(traits.ranks, 2u);
  switch (question.collective) {
    case Collective::allgather:
      choice.algorithm = full_name(question.collective, "staged");
      return choice;
    case Collective::gather:
    case Collective::scatter:
    case Collective::alltoall:
      choice.algorithm = full_name(question.collective, "flat");
      return choice;
    default:
      return std::nullopt;
  }
}

}  // namespace terrace
