// SPDX-License-Identifier: BSD-3-Clause
// Checking the machine takes about 10 us, so it happens once in 20 ms of calls, and less often
// after each change.
#include "engine/machine_watch.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "base/switch.hpp"
#include "base/ticks.hpp"
#include "engine/tunings.hpp"

namespace terrace {

namespace {

constexpr double kMostBetweenLooksNs = 2e9;
/// More kinds of machines than this are noise.
constexpr std::size_t kMostSeen = 10;
/// Doubtful measurements that are enough: where others run all the time, none may succeed.
constexpr std::ptrdiff_t kMostDoubtful = 5;
/// Factor by which the wait grows after each of them.
constexpr double kLaterEachTime = 4;
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr Rank kLeader = 0;

}  // namespace

MachineWatch::MachineWatch(const TeamMemory& memory, Rank rank, const Hierarchy& hierarchy,
                           std::function<bool(std::size_t bytes)> allocate_scratch,
                           const TeamTraits& traits, bool can_move, const MachineStart& start)
    : rank_(rank),
      traits_(traits),
      can_move_(can_move),
      record_(start.record),
      make_probe_([&memory, &hierarchy, rank, allocate = std::move(allocate_scratch)] {
        return std::make_unique<measure::TeamProbe>(memory, rank, places_in(hierarchy, 0),
                                                    allocate);
      }) {
  if (start.seen) {
    seen_.push_back({*start.seen, start.tuned});
    current_ = 0;
  }
  if (start.looks) return;
  left_ns_ = !start.seen ? between_tries_ns_ : can_move_ ? between_looks_ns_ : kNever;
}

bool MachineWatch::is_settled(std::size_t number) const {
  const auto is_doubtful = [](const Seen& one) { return one.machine.is_doubtful; };
  return !is_doubtful(seen_[number]) ||
         std::count_if(seen_.begin(), seen_.end(), is_doubtful) >= kMostDoubtful;
}

std::optional<std::size_t> MachineWatch::seen_before(const std::vector<double>& signals) const {
  // From the newest: what was doubtful is older than what has replaced it.
  for (std::size_t number = seen_.size(); number-- > 0;)
    if (measure::are_alike(seen_[number].machine.signals, signals) && is_settled(number))
      return number;
  return std::nullopt;
}

/// Files may differ from rank to rank, so the leader's is used.
std::optional<std::vector<TunedRow>> MachineWatch::tuned(const std::vector<double>& signals,
                                                         const measure::Tell& tell) const {
  std::vector<double> numbers;
  if (rank_ == kLeader && tuning_in_force())
    numbers = to_numbers(tuned_rows(tuning_in_force()->tuning, traits_, signals));
  if (!measure::tell_numbers(numbers, tell, kLeader)) return std::nullopt;
  return rows_from_numbers(numbers);
}

bool MachineWatch::is_possible() {
  if (!probe_) probe_ = make_probe_();
  return probe_->is_possible();
}

std::optional<std::size_t> MachineWatch::look(const Calls& calls) {
  left_ns_ = can_move_ ? between_looks_ns_ : kNever;
  if (!is_possible()) {
    left_ns_ = kNever;
    return std::nullopt;
  }
  if (!calls.barrier()) return std::nullopt;
  const auto begin_ns = static_cast<double>(monotonic_ns());
  const std::optional<std::size_t> changed = look_now(calls);
  if (current_ < seen_.size() && !is_settled(current_)) {
    left_ns_ = between_doubts_ns_;
    between_doubts_ns_ = std::min(kLaterEachTime * between_doubts_ns_, kMostBetweenLooksNs);
  }
  if (record_ && rank_ == kLeader && (changed || was_disturbed_ || !machine().is_doubtful))
    record_->note(was_disturbed_ ? std::nullopt : std::optional(machine()), begin_ns,
                  static_cast<double>(monotonic_ns()));
  return changed;
}

/// Lets the next try come soon, even if ranks cannot move: costs are assumed until something is
/// measured. Where threads outnumber cores, none may ever succeed.
void MachineWatch::try_again_soon() {
  if (!seen_.empty()) return;
  left_ns_ = between_tries_ns_;
  between_tries_ns_ = std::min(2 * between_tries_ns_, kMostBetweenLooksNs);
}

std::optional<std::size_t> MachineWatch::look_now(const Calls& calls) {
  was_disturbed_ = true;
  auto signals = probe_->signals(calls.tell);
  const bool is_disturbed =
      !signals || std::any_of(signals->begin(), signals->end(),
                              [](double ns) { return ns > measure::kLongestSignalNs; });
  if (is_disturbed) {
    try_again_soon();
    return std::nullopt;
  }
  const bool is_unchanged = current_ < seen_.size() && is_settled(current_) &&
                            measure::are_alike(machine().signals, *signals);
  was_disturbed_ = false;
  if (is_unchanged) return std::nullopt;
  // If the machine changes all the time, checking for changes is useless.
  between_looks_ns_ = std::min(2 * between_looks_ns_, kMostBetweenLooksNs);
  const auto before = seen_before(*signals);
  if (before) return current_ = *before;
  if (seen_.size() == kMostSeen) return std::nullopt;
  return see(std::move(*signals), calls);
}

std::optional<std::size_t> MachineWatch::see(std::vector<double> signals, const Calls& calls) {
  was_disturbed_ = true;
  auto found = probe_->costs(signals, measure::KnownCosts::of_this_process(), calls.tell);
  auto rows = found ? tuned(signals, calls.tell) : std::nullopt;
  if (!rows) {
    try_again_soon();
    return std::nullopt;
  }
  was_disturbed_ = false;
  if (found->is_doubtful)
    found->costs = median_with_earlier_doubtful(std::move(found->costs), signals);
  current_ = seen_.size();
  seen_.push_back(
      {{std::move(signals), std::move(found->costs), found->is_doubtful}, std::move(*rows)});
  return current_;
}

/// Returns the medians of these doubtful costs and the team's earlier doubtful ones of the same
/// distances.
model::MachineCosts MachineWatch::median_with_earlier_doubtful(
    model::MachineCosts costs, const std::vector<double>& signals) const {
  std::vector<model::MachineCosts> all = {std::move(costs)};
  for (const Seen& one : seen_)
    if (one.machine.is_doubtful && measure::are_alike(one.machine.signals, signals))
      all.push_back(one.machine.costs);
  return model::median_of(all);
}

bool is_measuring_wanted() {
  return switch_in_environment("TERRACE_MEASURE").value_or(true);
}

bool are_trials_wanted() {
  return switch_in_environment("TERRACE_TRIALS").value_or(true);
}

bool is_virtual_machine() {
  static const bool is_virtual = [] {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line) && !line.empty();)
      if (line.starts_with("flags")) return line.find(" hypervisor") != std::string::npos;
    return std::ifstream("/sys/hypervisor/type").good();
  }();
  return is_virtual;
}

}  // namespace terrace
