// SPDX-License-Identifier: BSD-3-Clause
// Knowledge: a vector clock per rank, that is, how many steps of every other rank it knows to be
// finished, as waits and messages teach it while a plan's statements are walked in order. Shared by
// the derivation of waits and by contracts; `verify` has its own, so that it can disagree.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "plan/plan.hpp"

namespace terrace {

/// Raises each count in `mine` to the one in `theirs` if that is greater.
void learn(std::span<std::uint32_t> mine, std::span<const std::uint32_t> theirs);

class Knowledge {
 public:
  explicit Knowledge(const Plan& plan);

  /// The walk covers strips 0 to this one: enough for a ring slot to be used twice. Values that
  /// fit lines come in one strip.
  std::uint32_t last_strip() const { return last_strip_; }

  /// Walks over `step`, which learns through its unconditional waits. Returns how many steps its
  /// rank has now finished, over all strips.
  std::uint32_t finish(const Step& step, std::uint32_t strip);

  /// Counts of the ranks, followed by those of their messengers if there are messages. The
  /// messenger of rank r has number r + ranks; it has finished the messages that r started in that
  /// many steps.
  std::uint32_t width() const { return width_; }
  Rank messenger_of(Rank rank) const { return rank + ranks_; }

  /// Returns what `rank` knows now: steps finished, over all strips, per rank and messenger.
  std::span<const std::uint32_t> of(Rank rank) const;
  /// Returns what the message tells that a `receive` is about to take; nothing for other steps.
  std::span<const std::uint32_t> told_by_message(const Step& step) const;
  /// Returns what `rank` knew when it had finished `count` steps. Not by pairs.
  std::span<const std::uint32_t> at(Rank rank, std::uint32_t count) const;

  /// A count over all strips as a wait of a step in `strip`, and back.
  Wait wait(Rank rank, std::uint32_t count, std::uint32_t strip, When when) const;
  std::uint32_t count(const Wait& wait, std::uint32_t strip) const;

 private:
  void take_message(const Step& step);
  void note_finished(Rank rank);

  Rank ranks_;
  bool is_by_pairs_;
  std::uint32_t width_;
  std::uint32_t last_strip_;
  std::vector<std::uint32_t> steps_per_strip_;
  std::vector<std::uint32_t> finished_;  ///< steps finished so far, per rank
  /// Per rank: now; then, but not by pairs, after step 1, 2, ...
  std::vector<std::vector<std::uint32_t>> known_;
  /// Messages on their way from one rank to another: the sender's count of steps.
  std::map<std::pair<Rank, Rank>, std::deque<std::uint32_t>> messages_;
};

}  // namespace terrace
