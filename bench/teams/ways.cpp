// SPDX-License-Identifier: BSD-3-Clause
// Looks between batches, and sorts batches by what was seen.
#include "ways.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/ticks.hpp"
#include "execute/call.hpp"

namespace terrace::bench {

namespace {

/// Probes of one sight differ by less.
constexpr double kAlike = 1.25;

double ratio_of(double one, double other) {
  return std::max(one / other, other / one);
}

}  // namespace

/// The ranks' memory for looks, and their parts in it.
struct WayTimer::Probes {
  explicit Probes(const Hierarchy& hierarchy)
      : memory(hierarchy.rank_count(), usual_scratch_bytes(hierarchy.rank_count())),
        parts(hierarchy.rank_count()) {
    for (const RankMemory& rank : memory.memory().ranks) prepare(rank, 0);
  }

  ThreadMemory memory;
  std::vector<std::unique_ptr<measure::TeamProbe>> parts;
  std::vector<std::byte> told;
};

WayTimer::WayTimer(std::span<const Locality> places, bool are_threads)
    : hierarchy_(hierarchy_of({places.begin(), places.end()})),
      are_threads_(are_threads),
      crew_(static_cast<Rank>(places.size())),
      probes_(std::make_unique<Probes>(hierarchy_)) {
  const std::vector<Locality> seen = places_in(hierarchy_, 0);
  for (Rank rank = 0; rank < crew_.ranks(); ++rank)
    probes_->parts[rank] = std::make_unique<measure::TeamProbe>(
        probes_->memory.memory(), rank, seen, [](std::size_t) { return true; });
}

WayTimer::~WayTimer() = default;

std::vector<std::string> WayTimer::levels() const {
  std::vector<std::string> levels;
  for (const auto& one : measure::pair_classes(places_in(hierarchy_, 0)))
    levels.push_back(one.level);
  return levels;
}

std::optional<std::size_t> WayTimer::look_patiently() {
  constexpr std::chrono::seconds kPatience{5};
  constexpr std::chrono::milliseconds kPause{20};
  const auto begin = KernelClock::now();
  for (;;) {
    const auto seen = look();
    if (seen || KernelClock::now() - begin > kPatience) return seen;
    std::this_thread::sleep_for(kPause);
  }
}

std::optional<std::size_t> WayTimer::look() {
  std::optional<Sight> seen;
  crew_.run([&](Rank rank) {
    const measure::Tell tell = [&](void* place, std::size_t bytes, Rank from) {
      const auto* const own = static_cast<const std::byte*>(place);
      if (rank == from) probes_->told.assign(own, own + bytes);
      crew_.barrier(rank);
      if (rank != from) std::memcpy(place, probes_->told.data(), bytes);
      crew_.barrier(rank);
      return true;
    };
    measure::TeamProbe& part = *probes_->parts[rank];
    const double probe_ns = crew_.probe(rank);
    crew_.barrier(rank);
    const auto signals = part.signals(tell);
    if (!signals) return;
    auto costs = part.costs(*signals, measure::KnownCosts::of_this_process(), tell);
    if (rank == 0 && costs) seen = Sight{probe_ns, *signals, std::move(costs->costs), nullptr};
  });
  if (!seen) return std::nullopt;
  for (std::size_t i = 0; i < sights_.size(); ++i) {
    if (!measure::are_alike(sights_[i].signals, seen->signals)) continue;
    sights_[i].probe_ns = seen->probe_ns;  // batches are compared with the newest
    return i;
  }
  TeamTraits traits;
  traits.ranks = crew_.ranks();
  traits.can_be_direct = are_threads_;
  traits.scratch_bytes = usual_scratch_bytes(traits.ranks);
  seen->chooser = Chooser::shared(traits, hierarchy_, seen->costs);
  sights_.push_back(std::move(*seen));
  return sights_.size() - 1;
}

std::optional<std::size_t> WayTimer::sight_of(const Sample& sample) const {
  std::optional<std::size_t> nearest;
  double least = kAlike;
  for (std::size_t i = 0; i < sights_.size(); ++i) {
    const double ratio = std::max(ratio_of(sample.before, sights_[i].probe_ns),
                                  ratio_of(sample.after, sights_[i].probe_ns));
    if (ratio > least) continue;
    least = ratio;
    nearest = i;
  }
  return nearest;
}

Result<std::vector<TimedWays>> WayTimer::time(Collective collective, std::size_t bytes,
                                              std::span<const Choice> ways, double seconds) {
  Contenders contenders;
  const Reach reach = are_threads_ ? Reach::direct : Reach::bounced;
  for (const Choice& way : ways)
    contenders.push_back(make_ours(crew_, hierarchy_, collective, reach, way));
  Effort effort;
  effort.most_seconds = seconds;
  const std::vector<Timing> timings =
      measure(crew_, {collective, bytes, crew_.ranks()}, contenders, effort);
  std::vector<TimedWays> timed;
  for (std::size_t way = 0; way < timings.size(); ++way) {
    if (timings[way].wrong > 0)
      return Error{ErrorCode::system, timings[way].name + " gives wrong results for " +
                                          std::string(to_text(collective)) + " of " +
                                          std::to_string(bytes) + " bytes: please report it"};
    for (const Sample& sample : timings[way].samples) {
      const auto sight = sample.disturbed ? std::nullopt : sight_of(sample);
      if (!sight) continue;
      auto found = std::find_if(timed.begin(), timed.end(),
                                [&](const TimedWays& one) { return one.sight == *sight; });
      if (found == timed.end()) {
        timed.push_back({*sight, std::vector<std::vector<double>>(ways.size())});
        found = timed.end() - 1;
      }
      found->us[way].push_back(sample.us);
    }
  }
  return timed;
}

}  // namespace terrace::bench
