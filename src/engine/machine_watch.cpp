// SPDX-License-Identifier: BSD-3-Clause
// Checking the machine takes about 10 us, so it happens once in 20 ms of calls, and less often
// after each change.
#include "engine/machine_watch.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "base/switch.hpp"
#include "engine/tunings.hpp"

namespace terrace {

namespace {

constexpr double kMostBetweenLooksNs = 2e9;
/// More kinds of machines than this are noise.
constexpr std::size_t kMostSeen = 8;
/// No signal takes longer, unless a rank was interrupted.
constexpr double kLongestSignalNs = 5000;

}  // namespace

MachineWatch::MachineWatch(const TeamMemory& memory, Rank rank, const Hierarchy& hierarchy,
                           std::function<bool(std::size_t bytes)> allocate_scratch,
                           const TeamTraits& traits, bool can_move)
    : rank_(rank),
      traits_(traits),
      probe_(memory, rank, places_in(hierarchy, 0), std::move(allocate_scratch)),
      can_move_(can_move) {
  if (!probe_.is_possible()) left_ns_ = std::numeric_limits<double>::infinity();
}

std::optional<std::size_t> MachineWatch::seen_before(const std::vector<double>& signals) const {
  for (std::size_t number = 0; number < seen_.size(); ++number)
    if (measure::are_alike(seen_[number].signals, signals)) return number;
  return std::nullopt;
}

/// Files may differ from rank to rank, so the leader's is used.
std::optional<std::vector<TunedRow>> MachineWatch::tuned(const std::vector<double>& signals,
                                                         const measure::Tell& tell) const {
  constexpr Rank kLeader = 0;
  std::vector<double> numbers;
  if (rank_ == kLeader && tuning_in_force())
    numbers = to_numbers(tuned_rows(tuning_in_force()->tuning, traits_, signals));
  if (!measure::tell_numbers(numbers, tell, kLeader)) return std::nullopt;
  return rows_from_numbers(numbers);
}

std::optional<std::size_t> MachineWatch::look(const Calls& calls) {
  left_ns_ = can_move_ ? between_looks_ns_ : std::numeric_limits<double>::infinity();
  if (!calls.barrier()) return std::nullopt;
  const auto signals = probe_.signals(calls.tell);
  const bool is_disturbed =
      !signals || std::any_of(signals->begin(), signals->end(),
                              [](double ns) { return ns > kLongestSignalNs; });
  if (is_disturbed) {
    // Until something is measured, costs are assumed, so the next try comes soon, even if ranks
    // cannot move. Where threads outnumber cores, none may ever succeed.
    if (seen_.empty()) {
      left_ns_ = between_tries_ns_;
      between_tries_ns_ = std::min(2 * between_tries_ns_, kMostBetweenLooksNs);
    }
    return std::nullopt;
  }
  if (current_ < seen_.size() && measure::are_alike(seen_[current_].signals, *signals))
    return std::nullopt;
  // If the machine changes all the time, checking for changes is useless.
  between_looks_ns_ = std::min(2 * between_looks_ns_, kMostBetweenLooksNs);
  if (const auto number = seen_before(*signals)) {
    current_ = *number;
    return number;
  }
  if (seen_.size() == kMostSeen) return std::nullopt;
  auto costs = probe_.costs(*signals, measure::KnownCosts::of_this_process(), calls.tell);
  if (!costs) return std::nullopt;
  auto rows = tuned(*signals, calls.tell);
  if (!rows) return std::nullopt;
  current_ = seen_.size();
  seen_.push_back({*signals, std::move(*costs), std::move(*rows)});
  return current_;
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
