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
constexpr double kBetweenLooksNs = 20e6;
/// Whoever was interrupted says no signal's time.
constexpr double kLongestSignalNs = 5000;

}  // namespace

MachineWatch::MachineWatch(const TeamMemory& memory, Rank rank, const Hierarchy& hierarchy,
                           std::function<bool(std::size_t bytes)> allocate_scratch, bool can_move)
    : probe_(memory, rank, places_in(hierarchy, 0), std::move(allocate_scratch)),
      can_move_(can_move) {
  for (const measure::PairClass& one : measure::pair_classes(places_in(hierarchy, 0)))
    levels_.push_back(one.level);
  if (levels_.empty()) left_ns_ = std::numeric_limits<double>::infinity();
}

const model::MachineCosts* MachineWatch::seen_before(const std::vector<double>& signals) const {
  for (const model::MachineCosts& costs : seen_)
    if (measure::are_signals_of(costs, levels_, signals)) return &costs;
  return nullptr;
}

bool MachineWatch::are_as_before(const std::vector<double>& signals) const {
  return current_ < seen_.size() && measure::are_signals_of(seen_[current_], levels_, signals);
}

std::optional<model::MachineCosts> MachineWatch::look(const Calls& calls) {
  left_ns_ = can_move_ ? kBetweenLooksNs : std::numeric_limits<double>::infinity();
  if (!calls.barrier()) return std::nullopt;
  const auto signals = probe_.signals(calls.tell);
  const bool is_disturbed =
      !signals || std::any_of(signals->begin(), signals->end(),
                              [](double ns) { return ns > kLongestSignalNs; });
  if (is_disturbed || are_as_before(*signals)) return std::nullopt;
  if (const model::MachineCosts* const costs = seen_before(*signals)) {
    current_ = static_cast<std::size_t>(costs - seen_.data());
    return *costs;
  }
  auto costs = probe_.costs(*signals, measure::KnownCosts::of_this_process(), calls.tell);
  if (!costs) return std::nullopt;
  // What was just measured counts for these signals, whatever it says itself.
  for (std::size_t i = 0; i < levels_.size(); ++i)
    for (model::LinkCosts& link : costs->links)
      if (link.level == levels_[i]) link.signal = (*signals)[i];
  current_ = seen_.size();
  seen_.push_back(*costs);
  return costs;
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
