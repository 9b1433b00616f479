// SPDX-License-Identifier: BSD-3-Clause
// Records are found by the pairs that measure, so communicators of the same cores share one,
// whatever their ranks are called.
#include "engine/machine_record.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "base/ticks.hpp"
#include "choose/chooser.hpp"
#include "engine/tunings.hpp"
#include "measure/team_probe.hpp"

namespace terrace {

namespace {

/// Time after which what was seen may have changed.
constexpr double kFreshNs = 2e9;
/// Wait after a look that was disturbed while nothing is known; doubled each time.
constexpr double kFirstTryNs = 1e6;
/// Looks take no larger share of the time than one in this.
constexpr double kTimesItsOwn = 50;
/// A process keeps the records used last.
constexpr std::size_t kMostRecords = 32;

std::vector<WatchedPair> watched_pairs(const Hierarchy& hierarchy,
                                       const std::vector<PuSet>& bindings) {
  std::vector<WatchedPair> pairs;
  for (const measure::PairClass& one : measure::pair_classes(places_in(hierarchy, 0)))
    pairs.push_back({one.level, bindings[one.first], bindings[one.second]});
  return pairs;
}

}  // namespace

MachineRecord::Beginning MachineRecord::begin_team(double now_ns) {
  const std::lock_guard lock(mutex_);
  const bool looks = now_ns >= next_look_ns_;
  // Teams that are founded meanwhile wait for what this one sees.
  if (looks) next_look_ns_ = now_ns + (seen_ ? kFreshNs : std::max(between_tries_ns_, kFirstTryNs));
  // Where one looks anyway, what is doubtful is measured anew.
  return {looks && seen_ && seen_->is_doubtful ? std::nullopt : seen_, looks};
}

void MachineRecord::note(const std::optional<SeenMachine>& seen, double begin_ns, double end_ns) {
  const std::lock_guard lock(mutex_);
  const bool is_no_better = seen && seen->is_doubtful && seen_ && !seen_->is_doubtful &&
                            measure::are_alike(seen->signals, seen_->signals);
  if (seen && !is_no_better) seen_ = seen;
  between_tries_ns_ = seen ? 0 : std::clamp(2 * between_tries_ns_, kFirstTryNs, kFreshNs);
  const double rest_ns = seen_ ? kFreshNs : between_tries_ns_;
  next_look_ns_ = end_ns + std::max(rest_ns, kTimesItsOwn * (end_ns - begin_ns));
}

std::shared_ptr<MachineRecord> MachineRecord::between(const std::vector<WatchedPair>& pairs) {
  using Kept = std::pair<std::vector<WatchedPair>, std::shared_ptr<MachineRecord>>;
  static auto* const mutex = new std::mutex;  // programs may call until they have ended
  static auto* const all = new std::deque<Kept>;
  const std::lock_guard lock(*mutex);
  const auto found =
      std::find_if(all->begin(), all->end(), [&](const Kept& one) { return one.first == pairs; });
  if (found != all->end()) {
    std::rotate(found, found + 1, all->end());  // the last used last
    return all->back().second;
  }
  if (all->size() == kMostRecords) all->pop_front();
  all->emplace_back(pairs, std::make_shared<MachineRecord>());
  return all->back().second;
}

MachineStart machine_start(const Hierarchy& hierarchy, const std::vector<PuSet>& bindings,
                           const TeamTraits& traits) {
  MachineStart start;
  if (traits.is_oversubscribed()) return start;
  const std::vector<WatchedPair> pairs = watched_pairs(hierarchy, bindings);
  if (pairs.empty()) return start;
  start.record = MachineRecord::between(pairs);
  auto [seen, looks] = start.record->begin_team(static_cast<double>(monotonic_ns()));
  start.looks = looks;
  start.seen = std::move(seen);
  if (start.seen && tuning_in_force())
    start.tuned = tuned_rows(tuning_in_force()->tuning, traits, start.seen->signals);
  return start;
}

}  // namespace terrace
