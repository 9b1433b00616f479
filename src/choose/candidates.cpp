// SPDX-License-Identifier: BSD-3-Clause
// Lists the candidates for a call. See candidates.hpp.
#include "choose/candidates.hpp"

#include <algorithm>
#include <span>

#include "base/contract.hpp"
#include "team/memory.hpp"

namespace terrace {

namespace {

constexpr std::size_t KiB = 1024;

/// From here on a sender may as well wait for its receivers: for shorter ones, a copy costs less.
constexpr std::size_t kMostBouncedWhereDirect = 64 * KiB;
/// More strips than that take longer to predict than they can gain: they are short against the
/// rest.
constexpr std::size_t kMostStrips = 128;
/// The strips that do well nearly everywhere, and longer ones, which do better where all ranks read
/// and write at once.
constexpr std::size_t kUsualStrip = 64 * KiB, kLongStrip = 128 * KiB;
/// Slots of a ring: with few, givers wait for those who read their strips; with many, and so much
/// scratch, they hardly ever do.
constexpr std::size_t kFewSlots = 4, kManySlots = 16, kMostInFlight = 1024 * KiB;
/// Results that are this long leave the caches anyway before they are read.
constexpr std::size_t kLeastStreamed = 4 * KiB;
/// A line or two are stored sooner than they are streamed.
constexpr std::size_t kLeastScratchStreamed = 512;

/// Oversubscribed ranks run ahead of each other only in calls of at most this much scratch, and
/// within at most this much.
constexpr std::size_t kMostAheadInTurns = 64 * KiB, kMostSpanInTurns = 1024 * KiB;
/// Ranks with a core each do so in calls of at most this much, within at least
/// `model::kPastFirstCaches`, which a team has from the beginning, and so many calls.
constexpr std::size_t kMostAhead = 128 * KiB, kLeastCallsAhead = 4;
/// Started calls of at most this much take turns in lanes, each of which goes through so much: a
/// communicator has many, and each uses pages of its own.
constexpr std::size_t kMostOfManyLanes = 1 * KiB, kSpanOfManyLanes = 64 * KiB;
/// Calls ahead beyond which going further gains nothing, at least.
constexpr std::size_t kEnoughCallsAhead = 16;

/// The kernel copies whole blocks for their receivers; a system call is never worth it
/// for less. Whether it is for more, the first calls show.
constexpr std::size_t kLeastPulled = 128 * KiB;

/// Eight as the kernels take at once; two as in the papers, four, and all, for a closer look.
std::vector<std::uint32_t> radices_of(const TeamTraits& traits, bool all) {
  // Each round costs turns of all ranks.
  if (traits.is_oversubscribed()) return {std::max(traits.ranks, Rank{2})};
  if (!all) return {8};
  std::vector<std::uint32_t> radices;
  for (const std::uint32_t radix : {2u, 4u, 8u, traits.ranks})
    if (radix == 2 || (radix <= traits.ranks && radix > radices.back())) radices.push_back(radix);
  return radices;
}

bool fits_lines(const Algorithm& row, const Question& question) {
  return question.bytes <= kPayloadBytes && row.fits_lines;
}

std::size_t blocks_of(const CandidateQuestion& asked) {
  return has_block_per_rank(asked.question.collective) ? asked.traits.ranks : 1;
}

/// About as much scratch as a call takes.
std::size_t piece_of(const CandidateQuestion& asked) {
  const std::size_t pairs = (asked.question.bytes + kLinePairBytes - 1) / kLinePairBytes;
  return pairs * kLinePairBytes * blocks_of(asked);
}

std::size_t within_scratch(std::size_t bytes, const TeamTraits& traits) {
  return traits.scratch_bytes == 0 ? bytes : std::min(bytes, traits.scratch_bytes);
}

/// Returns how far scratch moves on at least. A rank that uses it again waits for all readers of
/// its last call; of ranks that take turns on cores each gets as many calls done while it has one
/// as it need not wait.
std::size_t least_span(const CandidateQuestion& asked) {
  const bool takes_turns = asked.traits.is_oversubscribed();
  if (!takes_turns && !lets_ranks_run_ahead(asked.question.collective)) return kAtOnce;
  const std::size_t piece = piece_of(asked);
  if (piece > (takes_turns ? kMostAheadInTurns : kMostAhead)) return kAtOnce;
  const std::size_t span = takes_turns
                               ? std::min(kPendingScratchReaders * piece, kMostSpanInTurns)
                               : std::max(kLeastCallsAhead * piece, model::kPastFirstCaches);
  return std::max(within_scratch(span, asked.traits), kAtOnce);
}

/// Returns how far scratch moves on by default. Lines that first caches of peers still hold take
/// longer to store to, so short exchanges, too, go through as much as these do not hold, where
/// second caches have room for it.
std::size_t usual_span(const CandidateQuestion& asked) {
  const std::size_t least = least_span(asked);
  const bool has_room = asked.second_cache >= 2 * model::kPastFirstCaches;
  if (least != kAtOnce || !has_room || asked.traits.is_oversubscribed() ||
      piece_of(asked) > kMostAhead)
    return least;
  const bool is_one_of_many = asked.traits.leaves_calls && piece_of(asked) <= kMostOfManyLanes;
  return within_scratch(is_one_of_many ? kSpanOfManyLanes : model::kPastFirstCaches, asked.traits);
}

/// Whether ranks with a core each can be in different calls.
bool can_run_ahead(const CandidateQuestion& asked) {
  return !asked.traits.is_oversubscribed() && least_span(asked) != kAtOnce;
}

Choice whole(const Algorithm& row, std::uint32_t radix, const CandidateQuestion& asked) {
  Choice choice;
  choice.algorithm = row.name;
  choice.radix = radix;
  choice.strip_bytes = kWhole;
  choice.scratch_span = usual_span(asked);
  if (asked.traits.leaves_calls) choice.ring = 1;
  return choice;
}

Choice in_strips(Choice choice, std::size_t strip_bytes, std::size_t slots) {
  choice.strip_bytes = strip_bytes;
  choice.ring = static_cast<std::uint32_t>(slots);
  return choice;
}

/// Each of `choices` changed as well.
template <class Change>
void append_changed(std::vector<Choice>& choices, Change change) {
  const std::size_t count = choices.size();
  for (std::size_t i = 0; i < count; ++i) {
    choices.push_back(choices[i]);
    change(choices.back());
  }
}

/// Appends the choice without lines, unless none gains by it: ranks with a core each gain nothing
/// by running further ahead than lines let them; and where each waits for all others, scratch only
/// costs more.
void append_without_lines(const Algorithm& row, const CandidateQuestion& asked,
                          std::vector<Choice>& all) {
  const bool may_gain =
      asked.traits.is_oversubscribed() && lets_ranks_run_ahead(asked.question.collective);
  if (!may_gain || !row.fits_long) return;
  all.push_back(all.back());
  all.back().avoids_lines = true;
  all.back().bounces = asked.is_direct;
}

void append_first(const Algorithm& row, const CandidateQuestion& asked, std::uint32_t radix,
                  std::vector<Choice>& all) {
  const Question& question = asked.question;
  if (fits_lines(row, question)) {
    all.push_back(whole(row, radix, asked));
    append_without_lines(row, asked, all);
    return;
  }
  if (!row.fits_long) return;
  std::vector<Choice> some = {whole(row, radix, asked)};
  if (!asked.is_direct && !asked.traits.leaves_calls) {
    if (question.bytes > kUsualStrip)
      some.push_back(in_strips(some.front(), kUsualStrip, kFewSlots));
    if (question.bytes > kLongStrip && !is_rooted(question.collective))
      some.push_back(in_strips(some.front(), kLongStrip, Choice{}.ring));
  }
  const bool may_bounce = asked.is_direct && question.bytes <= kMostBouncedWhereDirect;
  if (may_bounce) append_changed(some, [](Choice& choice) { choice.bounces = true; });
  if (asked.is_direct && question.bytes >= kLeastStreamed)
    append_changed(some, [](Choice& choice) { choice.streams = true; });
  else if (!asked.is_direct && question.bytes >= kLeastScratchStreamed)
    append_changed(some, [](Choice& choice) { choice.streams_scratch = true; });
  all.insert(all.end(), some.begin(), some.end());
}

template <class Each>
void each_row(const CandidateQuestion& asked, Each each) {
  const auto walk = [&](std::span<const Algorithm> table) {
    for (const Algorithm& row : table)
      if (row.collective == planned_as(asked.question.collective) &&
          fits(row, asked.question.order) &&
          (row.suits == Suits::all_ranks || asked.traits.takes_turns_in_order))
        each(row);
  };
  walk(algorithms());
  if (asked.with_by_name) walk(algorithms_by_name());
}

}  // namespace

std::vector<std::size_t> spans_on(const model::MachineModel& machine, std::size_t scratch_bytes) {
  std::vector<std::size_t> spans = {kAtOnce};
  const std::size_t second = second_cache_of(machine);
  for (const std::size_t span : {second, 4 * second})
    if (span > 64 * KiB && (scratch_bytes == 0 || span <= scratch_bytes)) spans.push_back(span);
  return spans;
}

std::size_t second_cache_of(const model::MachineModel& machine) {
  return machine.caches.size() < 2 ? 0 : static_cast<std::size_t>(machine.caches[1].bytes);
}

bool lets_ranks_run_ahead(Collective collective) {
  return is_rooted(collective) || collective == Collective::scan ||
         collective == Collective::exscan;
}

std::vector<std::uint32_t> depths_of(const Hierarchy& hierarchy) {
  std::vector<std::uint32_t> depths;
  if (!hierarchy.nodes.empty()) return depths;  // plans must know the groups that are nodes
  for (std::uint32_t depth = 1; depth <= depth_of(hierarchy); ++depth) {
    const std::vector<Group> groups = with_one_depth(hierarchy, depth).all.children;
    const auto has_several = [](const Group& group) { return group.ranks.size() > 1; };
    if (std::any_of(groups.begin(), groups.end(), has_several)) depths.push_back(depth);
  }
  if (depths.size() == 1) depths.clear();
  return depths;
}

/// Groups that are nearest to each other matter most, so algorithms are also shown these alone.
std::vector<Choice> first_candidates(const CandidateQuestion& asked) {
  std::vector<Choice> all;
  each_row(asked, [&](const Algorithm& row) {
    for (const std::uint32_t radix : radices_of(asked.traits, false))
      append_first(row, asked, radix, all);
  });
  if (!asked.depths.empty())
    append_changed(all, [&](Choice& choice) { choice.depth = asked.depths.back(); });
  return all;
}

std::vector<Choice> variations_of(const Choice& choice, const CandidateQuestion& asked) {
  const std::size_t bytes = asked.question.bytes;
  TERRACE_ASSERT(find_algorithm(choice.algorithm) != nullptr);
  const Algorithm& row = *find_algorithm(choice.algorithm);
  const bool goes_through_scratch = !asked.is_direct || choice.bounces;
  std::vector<Choice> all = {choice};
  if (!asked.traits.is_oversubscribed())
    for (const std::uint32_t radix : {4u, 16u, asked.traits.ranks})
      if (radix > 2 && radix <= asked.traits.ranks) {
        all.push_back(choice);
        all.back().radix = radix;
      }
  if (fits_lines(row, asked.question) || !goes_through_scratch) return all;
  Choice base = choice;
  base.strip_bytes = kWhole;
  base.ring = choice.strip_bytes == kWhole ? choice.ring : Choice{}.ring;
  const std::size_t least = least_span(asked);
  const std::size_t enough = std::max(least, kEnoughCallsAhead * piece_of(asked));
  for (const std::size_t span : asked.spans) {
    if (span != kAtOnce && span < 2 * bytes) continue;
    if (can_run_ahead(asked) && span > enough) continue;
    base.scratch_span = std::max(span, least);
    all.push_back(base);
  }
  base.scratch_span = least;
  if (asked.traits.leaves_calls) return all;
  const std::size_t in_flight = within_scratch(kMostInFlight, asked.traits);
  for (const std::size_t strip : {16 * KiB, 32 * KiB, kUsualStrip, 256 * KiB}) {
    if (strip >= bytes || bytes / strip > kMostStrips) continue;
    all.push_back(in_strips(base, strip, kFewSlots));
    const std::size_t slots = std::min(in_flight / (strip * blocks_of(asked)), kManySlots);
    const std::size_t strips = (bytes + strip - 1) / strip;
    const bool may_be_deep = strip == 32 * KiB || strip == kUsualStrip;
    if (!may_be_deep || slots <= kFewSlots || strips <= kFewSlots) continue;
    all.push_back(in_strips(base, strip, slots));
    // Predictions of a span past the second cache differ only if no strip uses a slot again.
    if (strips > slots || asked.spans.size() < 2 || asked.spans[1] <= least) continue;
    all.push_back(all.back());
    all.back().scratch_span = asked.spans[1];
  }
  return all;
}

std::vector<Choice> at_each_depth(const Choice& choice, const CandidateQuestion& asked) {
  std::vector<Choice> all = {choice};
  for (const std::uint32_t depth : asked.depths) {
    all.push_back(choice);
    all.back().depth = depth;
  }
  return all;
}

std::vector<Choice> all_candidates(const CandidateQuestion& asked) {
  std::vector<Choice> all;
  each_row(asked, [&](const Algorithm& row) {
    for (const std::uint32_t radix : radices_of(asked.traits, true)) {
      std::vector<Choice> first;
      append_first(row, asked, radix, first);
      for (const Choice& one : first)
        for (const Choice& seen : at_each_depth(one, asked))
          for (const Choice& choice : variations_of(seen, asked))
            if (std::find(all.begin(), all.end(), choice) == all.end()) all.push_back(choice);
    }
  });
  return all;
}

/// Two ranks have one order, and so has who asks for one. Elsewhere it follows the algorithm, the
/// operands of a step, the groups it sees, and sometimes the strips.
bool have_same_bits(const Question& question, const Choice& one, const Choice& other, Rank ranks) {
  if (!combines(question.collective) || question.is_exact || ranks <= 2 ||
      question.order == Order::by_count)
    return true;
  if (one.algorithm != other.algorithm || one.radix != other.radix || one.depth != other.depth)
    return false;
  const Algorithm* const row = find_algorithm(one.algorithm);
  const bool is_by_strip =
      row == nullptr || row->bits == Bits::of_its_own || row->bits == Bits::different;
  return !is_by_strip || one.strip_bytes == other.strip_bytes;
}

/// Not bcast: one core then does what bouncing divides.
std::optional<Choice> pulled_choice(const Question& question, const TeamTraits& traits) {
  if (question.bytes < kLeastPulled) return std::nullopt;
  Choice choice;
  choice.strip_bytes = kWhole;
  choice.radix = radices_of(traits, false).front();
  switch (question.collective) {
    case Collective::allgather:
      choice.algorithm = "allgather.staged";
      return choice;
    case Collective::gather:
      choice.algorithm = "gather.flat";
      return choice;
    case Collective::scatter:
      choice.algorithm = "scatter.flat";
      return choice;
    case Collective::alltoall:
      choice.algorithm = "alltoall.flat";
      return choice;
    default:
      return std::nullopt;
  }
}

}  // namespace terrace
