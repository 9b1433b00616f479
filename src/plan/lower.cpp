// SPDX-License-Identifier: BSD-3-Clause
// Lowering: chooses the place of each value where peers can reach it (lower_lines.cpp,
// lower_owner.cpp), then derives the waits (waits.cpp).
#include "plan/lower.hpp"

#include <deque>
#include <map>
#include <set>
#include <utility>

#include "base/contract.hpp"
#include "plan/lowerings.hpp"

namespace terrace {

Plan without_steps(const Plan& plan) {
  // All members are named, so that a new one is not forgotten.
  const auto& [name, ranks, tiles, nodes, lowering, ring, scratch_blocks, lines, pockets,
               bounces_in_place, least_bytes, most_bytes, waits_by_pairs, exposures, body,
               closing] = plan;
  return {name,        ranks,          tiles,          nodes,     lowering,
          ring,        scratch_blocks, lines,          pockets,   bounces_in_place,
          least_bytes, most_bytes,     waits_by_pairs, exposures, {},
          {}};
}

void hold_for_messages(Plan& plan) {
  std::set<Rank> senders;
  for (const Step& step : plan.body)
    if (step.kind == StepKind::send) senders.insert(step.by);
  for (const Step& step : plan.closing) senders.erase(step.by);
  for (const Rank rank : senders) plan.closing.push_back({StepKind::hold, rank, {}, {}, {}});
}

namespace {

/// All messages that have been sent and not received, as statements are walked in order.
class OnTheirWay {
 public:
  void walk(const Step& step) {
    ++counts_[step.by];
    if (step.kind == StepKind::send)
      sent_[{step.by, step.peer}].push_back({&step, counts_[step.by]});
    if (step.kind != StepKind::receive) return;
    std::deque<Sent>& messages = sent_[{step.peer, step.by}];
    if (!messages.empty()) messages.pop_front();
  }

  /// One that `step` waits for, though no rank has taken it yet.
  const Step* awaited_by(const Step& step) const {
    for (const Wait& wait : step.waits)
      for (const auto& [ends, messages] : sent_)
        if (wait.rank == step.by && wait.lag == 0 && ends.first == step.by && !messages.empty() &&
            messages.front().count <= wait.steps)
          return messages.front().step;
    return nullptr;
  }

 private:
  struct Sent {
    const Step* step;
    std::uint32_t count;
  };
  std::map<Rank, std::uint32_t> counts_;
  std::map<std::pair<Rank, Rank>, std::deque<Sent>> sent_;
};

/// A rank may not wait for its message when in statement order its peer has still to take it: two
/// ranks that exchange would wait for each other.
Result<bool> check_messages_can_go(const Plan& plan) {
  OnTheirWay on_their_way;
  for (const Step& step : plan.body) {
    if (const Step* message = on_their_way.awaited_by(step))
      return unsupported(plan, "lets `" + to_text(step, plan) + "` write what `" +
                                   to_text(*message, plan) + "` is read from before rank " +
                                   std::to_string(message->peer) +
                                   " receives it: write somewhere else, or later");
    on_their_way.walk(step);
  }
  return true;
}

/// Every value where peers can reach it, and no waits yet.
Result<Plan> placed(const Plan& plan, Lowering lowering, std::uint32_t ring, std::uint32_t pockets,
                    std::uint32_t most_lines) {
  if (Result<bool> shape = check_shape(plan); !shape) return shape.error();
  if (plan.lowering != Lowering::none || lowering == Lowering::none)
    return unsupported(
        plan, "is already lowered, or is to be lowered to nothing: lower what an author wrote");
  Result<Plan> lowered =
      lowering == Lowering::lines ? lower_to_lines(plan, pockets) : lower_to_owner(plan, ring);
  if (lowered && lowered.value().lines > most_lines)
    return unsupported(plan, "needs " + std::to_string(lowered.value().lines) +
                                 " lines, and a call has at most " + std::to_string(most_lines));
  return lowered;
}

}  // namespace

Result<Plan> lower(const Plan& plan, Lowering lowering, std::uint32_t ring, std::uint32_t pockets,
                   std::uint32_t most_lines) {
  Result<Plan> lowered = placed(plan, lowering, ring, pockets, most_lines);
  if (!lowered) return lowered;
  if (plan.ranks > kMostRanksTogether && !plan.has_messages())
    derive_waits_by_pairs(lowered.value());
  else
    derive_waits(lowered.value());
  TERRACE_ASSERT(check_shape(lowered.value()).ok());
  if (!lowered.value().has_messages()) return lowered;
  if (Result<bool> can_go = check_messages_can_go(lowered.value()); !can_go) return can_go.error();
  return lowered;
}

Result<Plan> lower_for(Rank rank, const Plan& plan, Lowering lowering, std::uint32_t ring,
                       std::uint32_t pockets, std::uint32_t most_lines) {
  TERRACE_REQUIRE(rank < plan.ranks, rank, plan.ranks);
  if (plan.has_messages())
    return unsupported(plan, "sends messages, whose waits are for all ranks");
  Result<Plan> lowered = placed(plan, lowering, ring, pockets, most_lines);
  if (!lowered) return lowered;
  derive_waits_by_pairs(lowered.value(), rank);
  return lowered;
}

}  // namespace terrace
