// SPDX-License-Identifier: BSD-3-Clause
// Contracts from waits: walk the plan as `derive_waits` does, note the last reading of each rank's
// shared memory by each peer, and compare with what the owner knows when it returns.
#include "plan/call_contract.hpp"

#include <algorithm>
#include <span>

#include "base/contract.hpp"
#include "plan/knowledge.hpp"

namespace terrace {

namespace {

constexpr std::uint32_t kScratch = 0xffffffff;

/// Ranks whose contracts are asked for.
struct Owners {
  Rank first = 0, count = 0;
};

/// Readings that are kept account of at once, 32 MiB of them: of owners who have more, a few have
/// their turn after the others.
constexpr std::size_t kMostReadings = std::size_t{8} << 20;

template <class Visit>
void walk(const Plan& plan, std::uint32_t last_strip, Visit visit) {
  for (std::uint32_t strip = 0; strip <= last_strip; ++strip)
    for (const Step& step : plan.body) visit(step, strip);
  for (const Step& step : plan.closing) visit(step, last_strip);
}

/// The last reading of each owner's shared memory by each peer.
class LastReadings {
 public:
  LastReadings(const Plan& plan, Owners owners)
      : plan_(plan),
        owners_(owners),
        body_(plan.ranks),
        counts_(plan.ranks, 0),
        last_(std::size_t{owners.count} * (plan.lines + 1u) * plan.ranks, 0) {
    for (const Step& step : plan.body)
      if (is_owner(step.by)) body_[step.by].push_back({lines_of(step), is_announced(step)});
  }

  /// The next step of its rank.
  void note(const Step& step) {
    const std::uint32_t count = ++counts_[step.by];
    for (const Region& operand : step.from) {
      if (operand.buffer == Buffer::scratch) note(operand.rank, kScratch, step.by, count);
      if (operand.buffer == Buffer::mailbox)
        note(operand.rank, plan_.line_of(operand), step.by, count);
      if (operand.buffer == Buffer::exposed) note(operand.rank, kScratch, step.by, count);
    }
    // A rank that touches an exposed buffer also reads the owner's announcement, line 0 of the
    // call.
    for (const auto* regions : {&step.from, &step.to})
      for (const Region& region : *regions)
        if (region.buffer == Buffer::exposed && plan_.lines > 0)
          note(region.rank, 0, step.by, count);
    for (const Wait& wait : step.waits) note_wait(wait, step.by, count);
  }

  /// The reader's count of steps at its last reading of a line, or of scratch; 0: none.
  std::uint32_t& at(Rank owner, std::uint32_t what, Rank reader) {
    const std::size_t place = what == kScratch ? plan_.lines : what;
    TERRACE_ASSERT(is_owner(owner) && reader < plan_.ranks, owner, reader);
    TERRACE_ASSERT(place <= plan_.lines, place, plan_.lines);
    const std::size_t row = std::size_t{owner - owners_.first} * (plan_.lines + 1u) + place;
    return last_[row * plan_.ranks + reader];
  }

 private:
  void note(Rank owner, std::uint32_t what, Rank reader, std::uint32_t count) {
    if (owner != reader && is_owner(owner)) at(owner, what, reader) = count;
  }
  bool is_owner(Rank rank) const {
    return rank >= owners_.first && rank - owners_.first < owners_.count;
  }

  /// A step that writes lines is awaited by looking at them, one that exposes at the announcement.
  void note_wait(const Wait& wait, Rank reader, std::uint32_t count) {
    TERRACE_REQUIRE(wait.rank < body_.size(), wait.rank);
    if (!is_owner(wait.rank)) return;
    TERRACE_REQUIRE(wait.steps >= 1 && wait.steps <= body_[wait.rank].size(), wait.rank,
                    wait.steps);
    const LookedAt& step = body_[wait.rank][wait.steps - 1];
    for (const std::uint16_t line : step.lines) note(wait.rank, line, reader, count);
    if (step.is_announced) note(wait.rank, 0, reader, count);
  }

  /// Each once: a step may have a target for each rank, and each rank may await it.
  std::vector<std::uint16_t> lines_of(const Step& step) const {
    std::vector<std::uint16_t> lines;
    for (const Region& target : step.to)
      if (target.buffer == Buffer::mailbox) lines.push_back(plan_.line_of(target));
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return lines;
  }

  bool is_announced(const Step& step) const {
    return step.kind == StepKind::expose && plan_.lowering == Lowering::owner && plan_.lines > 0;
  }

  /// The signals by which ranks await a step.
  struct LookedAt {
    std::vector<std::uint16_t> lines;
    bool is_announced;
  };

  const Plan& plan_;
  Owners owners_;
  std::vector<std::vector<LookedAt>> body_;  ///< of owners
  std::vector<std::uint32_t> counts_;        ///< of each rank's steps so far
  std::vector<std::uint32_t> last_;
};

/// In a call of one strip: what a rank hears because a ring slot comes round again, it hears in
/// long calls only.
std::vector<bool> hears_all(const Plan& plan) {
  Knowledge knowledge(plan);
  for (const auto* steps : {&plan.body, &plan.closing})
    for (const Step& step : *steps) knowledge.finish(step, 0);
  std::vector<bool> result(plan.ranks);
  for (Rank rank = 0; rank < plan.ranks; ++rank) {
    const auto known = knowledge.of(rank).first(plan.ranks);
    result[rank] = plan.ranks == 1 || std::all_of(known.begin(), known.end(),
                                                  [](std::uint32_t count) { return count > 0; });
  }
  return result;
}

/// The steps that a rank does before it waits for the first time, and the last of its steps that a
/// peer awaits: in calls of one strip, whose buffers are bounced.
struct Beginning {
  std::uint32_t before_waits = 0;
  std::uint32_t last_awaited = 0;
  bool has_waited = false;
};

/// Tells which ranks start alone. A message is forwarded by who receives it, so no rank of a plan
/// with messages does.
std::vector<bool> start_alone(const Plan& plan) {
  if (plan.has_messages()) return std::vector<bool>(plan.ranks, false);
  std::vector<Beginning> beginnings(plan.ranks);
  const auto counts = [](const Wait& wait) {
    return wait.lag == 0 && wait.when != When::if_direct;
  };
  for (const auto* steps : {&plan.body, &plan.closing})
    for (const Step& step : *steps) {
      Beginning& own = beginnings[step.by];
      own.has_waited |= std::any_of(step.waits.begin(), step.waits.end(), counts);
      if (!own.has_waited) ++own.before_waits;
      for (const Wait& wait : step.waits) {
        std::uint32_t& last = beginnings[wait.rank].last_awaited;
        if (counts(wait)) last = std::max(last, wait.steps);
      }
    }
  std::vector<bool> result(plan.ranks);
  std::transform(beginnings.begin(), beginnings.end(), result.begin(),
                 [](const Beginning& one) { return one.last_awaited <= one.before_waits; });
  return result;
}

CallContract contract_of(const Plan& plan, LastReadings& last, Rank owner,
                         std::span<const std::uint32_t> known) {
  CallContract contract;
  for (Rank reader = 0; reader < plan.ranks; ++reader)
    if (last.at(owner, kScratch, reader) > known[reader])
      contract.scratch_readers.push_back(reader);
  contract.line_readers.resize(plan.lines);
  for (std::uint32_t line = 0; line < plan.lines; ++line)
    for (Rank reader = 0; reader < plan.ranks; ++reader)
      if (last.at(owner, line, reader) > known[reader])
        contract.line_readers[line].push_back(reader);
  return contract;
}

std::vector<CallContract> contracts_of(const Plan& plan, Owners owners) {
  Knowledge knowledge(plan);
  walk(plan, knowledge.last_strip(),
       [&](const Step& step, std::uint32_t strip) { knowledge.finish(step, strip); });
  const std::vector<bool> hears = hears_all(plan);
  const std::vector<bool> are_alone = start_alone(plan);
  const std::size_t readings = std::size_t{plan.lines + 1u} * plan.ranks;
  const auto at_once = static_cast<Rank>(std::max<std::size_t>(kMostReadings / readings, 1));

  std::vector<CallContract> contracts;
  const Rank end = owners.first + owners.count;
  for (Rank first = owners.first; first < end;) {
    const Owners some{first, std::min(at_once, end - first)};
    LastReadings last(plan, some);
    walk(plan, knowledge.last_strip(), [&](const Step& step, std::uint32_t) { last.note(step); });
    for (; first < some.first + some.count; ++first) {
      contracts.push_back(contract_of(plan, last, first, knowledge.of(first)));
      contracts.back().hears_all = hears[first];
      contracts.back().starts_alone = are_alone[first];
    }
  }
  return contracts;
}

}  // namespace

std::vector<CallContract> contracts_of(const Plan& plan) {
  return contracts_of(plan, {0, plan.ranks});
}

bool all_start_alone(const Plan& plan) {
  const std::vector<bool> are_alone = start_alone(plan);
  return std::find(are_alone.begin(), are_alone.end(), false) == are_alone.end();
}

CallContract contract_of(const Plan& plan, Rank rank) {
  TERRACE_REQUIRE(rank < plan.ranks, rank, plan.ranks);
  return contracts_of(plan, {rank, 1}).front();
}

}  // namespace terrace
