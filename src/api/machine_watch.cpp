// SPDX-License-Identifier: BSD-3-Clause
// A look takes some microseconds; so it comes once in some ten milliseconds of calls.
#include "api/machine_watch.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "base/truth.hpp"

namespace terrace {

namespace {

/// A look of 10 us costs 0.05 % of that.
constexpr double kMostBetweenLooksNs = 2e9;
/// More kinds of machines than that, and signals tell noise.
constexpr std::size_t kMostSeen = 8;
/// Whoever was interrupted says no signal's time.
constexpr double kLongestSignalNs = 5000;

}  // namespace

MachineWatch::MachineWatch(const TeamMemory& memory, Rank rank, const Hierarchy& hierarchy,
                           std::function<bool(std::size_t bytes)> allocate_scratch, bool can_move)
    : probe_(memory, rank, places_in(hierarchy, 0), std::move(allocate_scratch)),
      can_move_(can_move) {
  if (!probe_.is_possible()) left_ns_ = std::numeric_limits<double>::infinity();
}

std::optional<std::size_t> MachineWatch::seen_before(const std::vector<double>& signals) const {
  for (std::size_t number = 0; number < seen_.size(); ++number)
    if (measure::are_alike(seen_[number].signals, signals)) return number;
  return std::nullopt;
}

std::optional<std::size_t> MachineWatch::look(const Calls& calls) {
  left_ns_ = can_move_ ? between_looks_ns_ : std::numeric_limits<double>::infinity();
  if (!calls.barrier()) return std::nullopt;
  const auto signals = probe_.signals(calls.tell);
  const bool is_disturbed =
      !signals || std::any_of(signals->begin(), signals->end(),
                              [](double ns) { return ns > kLongestSignalNs; });
  if (is_disturbed) return std::nullopt;
  if (current_ < seen_.size() && measure::are_alike(seen_[current_].signals, *signals))
    return std::nullopt;
  // Where the machine changes all the time, looking for changes is no use.
  between_looks_ns_ = std::min(2 * between_looks_ns_, kMostBetweenLooksNs);
  if (const auto number = seen_before(*signals)) {
    current_ = *number;
    return number;
  }
  if (seen_.size() == kMostSeen) return std::nullopt;
  auto costs = probe_.costs(*signals, measure::KnownCosts::of_this_process(), calls.tell);
  if (!costs) return std::nullopt;
  current_ = seen_.size();
  seen_.push_back({*signals, std::move(*costs)});
  return current_;
}

bool is_measuring_wanted() {
  return truth_in("TERRACE_MEASURE").value_or(true);
}

bool are_trials_wanted() {
  return truth_in("TERRACE_TRIALS").value_or(true);
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
