// SPDX-License-Identifier: BSD-3-Clause
// Vector clocks over the steps of a plan. See knowledge.hpp.
#include "plan/knowledge.hpp"

#include <algorithm>

namespace terrace {

void learn(std::span<std::uint32_t> mine, std::span<const std::uint32_t> theirs) {
  for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = std::max(mine[i], theirs[i]);
}

Knowledge::Knowledge(const Plan& plan)
    : ranks_(plan.ranks),
      last_strip_(plan.lowering == Lowering::lines || plan.scratch_blocks == 0 ? 0 : plan.ring),
      steps_per_strip_(plan.ranks, 0),
      finished_(plan.ranks, 0),
      known_(plan.ranks) {
  for (const Step& step : plan.body) ++steps_per_strip_[step.by];
  for (Rank rank = 0; rank < ranks_; ++rank) {
    known_[rank].reserve(ranks_ * (steps_per_strip_[rank] * (last_strip_ + 1) + 2));
    known_[rank].assign(ranks_, 0);
  }
}

std::uint32_t Knowledge::finish(const Step& step, std::uint32_t strip) {
  std::vector<std::uint32_t>& mine = known_[step.by];
  for (const Wait& wait : step.waits) {
    const std::uint32_t awaited = count(wait, strip);
    if (wait.when != When::always || awaited == 0) continue;
    learn(std::span(mine).first(ranks_), at(wait.rank, awaited));
  }
  mine[step.by] = ++finished_[step.by];
  mine.resize(mine.size() + ranks_);
  std::copy_n(mine.begin(), ranks_, mine.end() - ranks_);
  return finished_[step.by];
}

std::span<const std::uint32_t> Knowledge::of(Rank rank) const {
  return std::span(known_[rank]).first(ranks_);
}

std::span<const std::uint32_t> Knowledge::at(Rank rank, std::uint32_t count) const {
  const std::uint32_t recorded = std::min(count, finished_[rank]);
  return std::span(known_[rank]).subspan(std::size_t{recorded} * ranks_, ranks_);
}

Wait Knowledge::wait(Rank rank, std::uint32_t count, std::uint32_t strip, When when) const {
  const std::uint32_t their_strip = (count - 1) / steps_per_strip_[rank];
  return {rank, count - their_strip * steps_per_strip_[rank], strip - their_strip, when};
}

std::uint32_t Knowledge::count(const Wait& wait, std::uint32_t strip) const {
  if (wait.lag > strip) return 0;
  return (strip - wait.lag) * steps_per_strip_[wait.rank] + wait.steps;
}

}  // namespace terrace
