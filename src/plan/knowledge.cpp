// SPDX-License-Identifier: BSD-3-Clause
// Vector clocks over the steps of a plan. See knowledge.hpp.
#include "plan/knowledge.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace terrace {

void learn(std::span<std::uint32_t> mine, std::span<const std::uint32_t> theirs) {
  TERRACE_ASSERT(mine.size() == theirs.size(), mine.size(), theirs.size());
  for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = std::max(mine[i], theirs[i]);
}

Knowledge::Knowledge(const Plan& plan)
    : ranks_(plan.ranks),
      is_by_pairs_(plan.waits_by_pairs),
      width_(plan.has_messages() ? 2 * plan.ranks : plan.ranks),
      last_strip_(plan.lowering == Lowering::lines || plan.scratch_blocks == 0 ? 0 : plan.ring),
      steps_per_strip_(plan.ranks, 0),
      finished_(plan.ranks, 0),
      known_(plan.ranks) {
  for (const Step& step : plan.body) ++steps_per_strip_[step.by];
  for (Rank rank = 0; rank < ranks_; ++rank) {
    if (!is_by_pairs_)
      known_[rank].reserve(width_ * (steps_per_strip_[rank] * (last_strip_ + 1) + 2));
    known_[rank].assign(width_, 0);
  }
}

std::uint32_t Knowledge::finish(const Step& step, std::uint32_t strip) {
  std::vector<std::uint32_t>& mine = known_[step.by];
  TERRACE_ASSERT(strip <= last_strip_, strip, last_strip_);
  for (const Wait& wait : step.waits) {
    const std::uint32_t awaited = count(wait, strip);
    TERRACE_ASSERT(wait.rank < ranks_, wait.rank, ranks_);
    if (wait.when != When::always || awaited == 0) continue;
    if (wait.rank == step.by)
      mine[messenger_of(step.by)] = std::max(mine[messenger_of(step.by)], awaited);
    else if (is_by_pairs_)
      mine[wait.rank] = std::max(mine[wait.rank], awaited);
    else
      learn(std::span(mine).first(width_), at(wait.rank, awaited));
  }
  TERRACE_ASSERT(mine[step.by] == finished_[step.by]);  // a rank knows its own steps
  if (step.kind == StepKind::receive) take_message(step);
  mine[step.by] = ++finished_[step.by];
  if (step.kind == StepKind::send) messages_[{step.by, step.peer}].push_back(finished_[step.by]);
  if (!is_by_pairs_) note_finished(step.by);
  return finished_[step.by];
}

void Knowledge::note_finished(Rank rank) {
  std::vector<std::uint32_t>& mine = known_[rank];
  mine.resize(mine.size() + width_);
  std::copy_n(mine.begin(), width_, mine.end() - width_);
}

/// The receiver learns what the sender knew when it sent the message.
void Knowledge::take_message(const Step& step) {
  std::deque<std::uint32_t>& on_their_way = messages_[{step.peer, step.by}];
  if (on_their_way.empty()) return;  // `verify` will complain
  learn(std::span(known_[step.by]).first(width_), at(step.peer, on_their_way.front()));
  on_their_way.pop_front();
}

std::span<const std::uint32_t> Knowledge::told_by_message(const Step& step) const {
  if (step.kind != StepKind::receive) return {};
  const auto on_their_way = messages_.find({step.peer, step.by});
  if (on_their_way == messages_.end() || on_their_way->second.empty()) return {};
  return at(step.peer, on_their_way->second.front());
}

std::span<const std::uint32_t> Knowledge::of(Rank rank) const {
  TERRACE_ASSERT(rank < ranks_, rank, ranks_);
  return std::span(known_[rank]).first(width_);
}

std::span<const std::uint32_t> Knowledge::at(Rank rank, std::uint32_t count) const {
  const std::uint32_t recorded = std::min(count, finished_[rank]);
  TERRACE_ASSERT((recorded + 1) * std::size_t{width_} <= known_[rank].size(), recorded);
  return std::span(known_[rank]).subspan(std::size_t{recorded} * width_, width_);
}

Wait Knowledge::wait(Rank rank, std::uint32_t count, std::uint32_t strip, When when) const {
  TERRACE_ASSERT(rank < width_ && count != 0, rank, count);
  rank %= ranks_;  // a messenger is awaited by its rank's name
  const std::uint32_t their_strip = (count - 1) / steps_per_strip_[rank];
  TERRACE_ASSERT(their_strip <= strip, their_strip, strip);
  return {rank, count - their_strip * steps_per_strip_[rank], strip - their_strip, when};
}

std::uint32_t Knowledge::count(const Wait& wait, std::uint32_t strip) const {
  if (wait.lag > strip) return 0;
  return (strip - wait.lag) * steps_per_strip_[wait.rank] + wait.steps;
}

}  // namespace terrace
