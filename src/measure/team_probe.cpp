// SPDX-License-Identifier: BSD-3-Clause
// One pair for each distance measures in turn, while the others wait for the result.
#include "measure/team_probe.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "measure/core_probe.hpp"

namespace terrace::measure {

namespace {

constexpr std::size_t kOwnBytes = 512 << 10;
constexpr int kCoreRepeats = 9;
/// Enough to tell distances apart, in a few microseconds.
constexpr int kTries = 2, kThrows = 6;
constexpr Rank kLeader = 0;

double cache_size(int name, double otherwise) {
  const long bytes = sysconf(name);
  return bytes > 0 ? static_cast<double>(bytes) : otherwise;
}

/// Measures the costs that the one measuring rank finds by itself.
void measure_own(model::MachineCosts& costs) {
  // Touching memory for the first time takes a millisecond for a MiB.
  std::vector<std::byte> room(2 * kOwnBytes);
  costs.core = measure_core(kCoreRepeats);
  for (std::size_t i = 0; i < costs.cache_lines.size(); ++i) {
    const double bytes = i < 2 ? costs.cache_bytes[i] / 4 : 1.0 * kOwnBytes;
    costs.cache_lines[i] =
        measure_copy(room, std::min(static_cast<std::size_t>(bytes), kOwnBytes), 3);
  }
}

model::MachineCosts costs_of_this_processor() {
  model::MachineCosts costs = model::assumed_costs();
  costs.links.clear();
  costs.cache_bytes = {cache_size(_SC_LEVEL1_DCACHE_SIZE, costs.cache_bytes[0]),
                       cache_size(_SC_LEVEL2_CACHE_SIZE, costs.cache_bytes[1]),
                       cache_size(_SC_LEVEL3_CACHE_SIZE, costs.cache_bytes[2])};
  return costs;
}

/// Times that this thread had to leave its core to another one.
std::uint64_t forced_switches() {
  rusage usage{};
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_nivcsw) : 0;
}

}  // namespace

bool tell_numbers(std::vector<double>& numbers, const Tell& tell, Rank from) {
  std::uint64_t count = numbers.size();
  if (!tell(&count, sizeof count, from)) return false;
  numbers.resize(count);
  return count == 0 || tell(numbers.data(), count * sizeof(double), from);
}

std::vector<PairClass> pair_classes(std::span<const Locality> places) {
  std::vector<PairClass> classes;
  std::vector<std::size_t> depths;
  for (Rank a = 0; a < places.size(); ++a)
    for (Rank b = a + 1; b < places.size(); ++b) {
      const std::string level = model::shared_level(places[a], places[b]);
      const auto is_known = [&](const PairClass& one) { return one.level == level; };
      if (level == "core" || std::any_of(classes.begin(), classes.end(), is_known)) continue;
      std::size_t depth = 0;
      while (depth < places[a].places.size() && depth < places[b].places.size() &&
             places[a].places[depth] == places[b].places[depth])
        ++depth;
      const auto at = std::find_if(depths.begin(), depths.end(),
                                   [depth](std::size_t other) { return other < depth; });
      classes.insert(classes.begin() + (at - depths.begin()), {level, a, b});
      depths.insert(at, depth);
    }
  // Of more distances than there are boards, those in the middle are like the next further away.
  while (classes.size() > kProbeBoards) classes.erase(classes.begin() + 1);
  return classes;
}

/// State of a rank that measures.
struct TeamProbe::Mine {
  ProbeRoom room;
  PairProbe probe;
};

TeamProbe::TeamProbe(const TeamMemory& memory, Rank rank, std::span<const Locality> places,
                     std::function<bool(std::size_t bytes)> allocate_scratch)
    : memory_(memory),
      rank_(rank),
      allocate_scratch_(std::move(allocate_scratch)),
      classes_(pair_classes(places)) {
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    const PairClass& one = classes_[i];
    pairs_.emplace_back();
    if (rank != one.first && rank != one.second) continue;
    const auto room_of = [&](Rank other) {
      const RankMemory& share = memory_.ranks[other];
      return ProbeRoom{share.boards + i, share.scratch, 0, nullptr, nullptr, 0};
    };
    const ProbeRoom mine = room_of(rank);
    const ProbeRoom theirs = room_of(rank == one.first ? one.second : one.first);
    pairs_.back() = std::make_unique<Mine>(Mine{mine, PairProbe(mine, theirs, rank == one.first)});
  }
}

TeamProbe::~TeamProbe() = default;

std::optional<std::vector<double>> TeamProbe::signals(const Tell& tell) {
  std::vector<double> signals;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    double ns = 0;
    if (pairs_[i]) {
      PairProbe& probe = pairs_[i]->probe;
      ns = probe.signal(kTries, kThrows);
      if (!probe.both(!probe.has_failed())) ns = 0;
    }
    if (!tell(&ns, sizeof ns, classes_[i].first)) return std::nullopt;
    signals.push_back(ns);
  }
  const bool is_right =
      std::all_of(signals.begin(), signals.end(), [](double ns) { return ns > 0; });
  return is_right ? std::optional(std::move(signals)) : std::nullopt;
}

std::optional<FoundCosts> TeamProbe::costs(const std::vector<double>& signals, KnownCosts& known,
                                           const Tell& tell) {
  std::vector<double> numbers;
  if (rank_ == kLeader) {
    std::vector<std::string> levels;
    for (const PairClass& one : classes_) levels.push_back(one.level);
    if (const auto found = known.find(levels, signals)) {
      numbers = model::to_numbers(found->costs);
      numbers.push_back(found->is_settled ? 1 : 0);
    }
  }
  if (!tell_numbers(numbers, tell, kLeader)) return std::nullopt;
  const bool is_known = !numbers.empty(), is_settled = is_known && numbers.back() != 0;
  if (is_known) numbers.pop_back();
  std::optional<FoundCosts> before;
  if (auto told = model::costs_from_numbers(numbers)) before = FoundCosts{std::move(*told)};
  if (is_settled) return before;
  auto costs = measure_now(signals, tell);
  if (before && (!costs || costs->is_doubtful)) {
    if (rank_ == kLeader) known.accept(before->costs);
    return before;
  }
  if (!costs || costs->is_doubtful) return costs;
  // What others have measured is the leader's to compare.
  numbers.clear();
  if (rank_ == kLeader) numbers = model::to_numbers(known.remember(costs->costs));
  if (!tell_numbers(numbers, tell, kLeader)) return std::nullopt;
  auto told = model::costs_from_numbers(numbers);
  return told ? std::optional(FoundCosts{std::move(*told)}) : std::nullopt;
}

std::optional<FoundCosts> TeamProbe::measure_now(const std::vector<double>& signals,
                                                 const Tell& tell) {
  interruptions_ = 0;
  auto costs = measured(tell);
  if (!costs || !are_possible(*costs)) return std::nullopt;
  const std::optional<bool> is_doubtful = was_disturbed(signals, tell);
  if (!is_doubtful) return std::nullopt;
  return FoundCosts{std::move(*costs), *is_doubtful};
}

/// Whether a rank that has measured had to leave its core meanwhile, or the cores are not as near
/// to each other as they were, as those of a virtual machine that moved.
std::optional<bool> TeamProbe::was_disturbed(const std::vector<double>& signals_before,
                                             const Tell& tell) {
  bool is_doubtful = false;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    std::uint8_t were_here = pairs_[i] && pairs_[i]->probe.both(interruptions_ == 0) ? 1 : 0;
    if (!tell(&were_here, sizeof were_here, classes_[i].first)) return std::nullopt;
    is_doubtful |= were_here == 0;
  }
  const auto now = signals(tell);
  return is_doubtful || !now || !are_alike(*now, signals_before);
}

std::optional<model::MachineCosts> TeamProbe::measured(const Tell& tell) {
  model::MachineCosts costs = costs_of_this_processor();
  std::vector<double> numbers;
  if (rank_ == kLeader) {
    const std::uint64_t switches = forced_switches();
    measure_own(costs);
    interruptions_ += forced_switches() - switches;
    costs.links.emplace_back();  // costs without any are none
    numbers = model::to_numbers(costs);
  }
  if (!tell_numbers(numbers, tell, kLeader)) return std::nullopt;
  auto told = model::costs_from_numbers(numbers);
  if (!told) return std::nullopt;
  told->links.clear();
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    auto one = link(i, static_cast<std::size_t>(told->cache_bytes[1]), tell);
    if (!one) return std::nullopt;
    told->links.push_back(std::move(*one));
  }
  return told;
}

std::optional<model::LinkCosts> TeamProbe::link(std::size_t number, std::size_t cache_bytes,
                                                const Tell& tell) {
  const PairClass& one = classes_[number];
  model::MachineCosts carrier = costs_of_this_processor();
  std::vector<double> numbers;
  if (const std::unique_ptr<Mine>& pair = pairs_[number]) {
    std::vector<std::byte> own(2 * kOwnBytes);
    ProbeRoom& room = pair->room;
    room.source = own.data();
    room.target = own.data() + kOwnBytes;
    room.own_bytes = kOwnBytes;
    LinkEffort effort;
    effort.cache_bytes = cache_bytes;  // the leader's, for both
    room.shared_bytes =
        std::min(memory_.scratch_bytes, std::max(4 * effort.cache_bytes, kOwnBytes));
    const bool has_room = rank_ != one.first || allocate_scratch_(room.shared_bytes);
    pair->probe.use(room);
    model::LinkCosts link;
    const std::uint64_t switches = forced_switches();
    if (pair->probe.both(has_room)) link = measure_link(pair->probe, room, effort);
    interruptions_ += forced_switches() - switches;
    link.level = one.level;
    if (!pair->probe.both(!pair->probe.has_failed())) link.copies.clear();
    if (link.copies.empty()) link.level.clear();
    carrier.links.push_back(std::move(link));
    numbers = model::to_numbers(carrier);
  }
  if (!tell_numbers(numbers, tell, one.first)) return std::nullopt;
  auto told = model::costs_from_numbers(numbers);
  if (!told || told->links.front().copies.empty()) return std::nullopt;
  return std::move(told->links.front());
}

}  // namespace terrace::measure
