// SPDX-License-Identifier: BSD-3-Clause
// Rounds: in each, every pair of cores measures everything once, and its signal tells which regime
// the round belongs to. So drift affects all parameters alike.
#include "measure/survey.hpp"

#include <sched.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <thread>

#include "base/cache_aligned.hpp"
#include "base/pause.hpp"
#include "base/ticks.hpp"
#include "kernels/kernels.hpp"
#include "measure/core_probe.hpp"
#include "measure/median.hpp"
#include "measure/pair_probe.hpp"
#include "measure/team_probe.hpp"

namespace terrace::measure {

namespace {

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;
constexpr std::size_t kMostPairs = 3, kLeastRounds = 6, kMostRounds = 400;
constexpr int kLines = 16;

bool bind_to(std::uint32_t pu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (pu >= CPU_SETSIZE) return false;
  CPU_SET(pu, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

/// On threads that are bound to these PUs; `work` is told which of them it is.
void on(const std::vector<std::uint32_t>& pus, const std::function<void(std::size_t)>& work) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < pus.size(); ++i)
    threads.emplace_back([&, i] {
      bind_to(pus[i]);
      work(i);
    });
  for (std::thread& thread : threads) thread.join();
}

// ---------------------------------------------------------------------------------------------
// Between two cores.

/// Times of one round and one pair.
struct LinkRound {
  double signal = 0, modified = 0, exclusive = 0, memory = 0, ownership = 0, further_line = 0;
  std::vector<model::ScratchCopy> copies;
  std::vector<double> signals_by_pause;
};

/// Signals with each kind of pause, where there are several. Both threads choose the same.
std::vector<double> measure_pauses(PairProbe& probe, PauseKind usual) {
  const std::size_t kinds = pause_kind_count();
  std::vector<double> signals;
  for (std::size_t kind = 0; kinds > 1 && kind < kinds; ++kind) {
    set_pause_kind(static_cast<PauseKind>(kind));
    signals.push_back(probe.signal(2, 20));
  }
  set_pause_kind(usual);
  return signals;
}

/// Two cores with memory of their own, which stays where it is from round to round.
class Pair {
 public:
  Pair(std::uint32_t first, std::uint32_t second, std::size_t cache_bytes)
      : pus_{first, second}, cache_bytes_(cache_bytes), memory_(2, scratch_bytes()) {
    for (const RankMemory& rank : memory_.memory().ranks) prepare(rank, 0);
  }

  /// Nothing if one of the two did not come.
  std::optional<LinkRound> round() {
    LinkRound found[2];
    on({pus_[0], pus_[1]}, [&](std::size_t rank) { found[rank] = take_part(rank); });
    if (found[0].copies.empty() || found[1].copies.empty()) return std::nullopt;
    found[1].ownership = found[0].ownership;  // the first writes, the second reads
    return std::move(found[1]);
  }

  std::pair<std::uint32_t, std::uint32_t> pus() const { return {pus_[0], pus_[1]}; }

 private:
  static constexpr std::size_t kOwnBytes = 512 * KiB;

  std::size_t scratch_bytes() const { return std::clamp(4 * cache_bytes_, 1 * MiB, 16 * MiB); }

  LinkRound take_part(std::size_t rank) {
    std::vector<std::byte>& own = own_[rank];
    if (own.empty()) own.resize(2 * kOwnBytes);
    const auto room_of = [&](std::size_t other) {
      const RankMemory& share = memory_.memory().ranks[other];
      return ProbeRoom{share.boards, share.scratch,          scratch_bytes(),
                       own.data(),   own.data() + kOwnBytes, kOwnBytes};
    };
    if (!probes_[rank])
      probes_[rank] = std::make_unique<PairProbe>(room_of(rank), room_of(1 - rank), rank == 0);
    PairProbe& probe = *probes_[rank];
    LinkRound mine;
    mine.signal = probe.signal(2, 20);
    mine.signals_by_pause = measure_pauses(probe, usual_);
    mine.modified = median(probe.read_lines(LineState::modified, kLines, 3));
    mine.exclusive = median(probe.read_lines(LineState::exclusive, kLines, 3));
    mine.memory = median(probe.read_lines(LineState::in_memory, kLines, 3));
    mine.further_line = median(probe.read_together(kLines, 3));
    mine.ownership = median(probe.own_lines(kLines, 3));
    LinkEffort effort;
    effort.repeats = 1;
    effort.cache_bytes = cache_bytes_;
    mine.copies = measure_link(probe, room_of(rank), effort).copies;
    return mine;
  }

  std::uint32_t pus_[2];
  std::size_t cache_bytes_;
  const PauseKind usual_ = pause_kind();
  ThreadMemory memory_;
  std::vector<std::byte> own_[2];
  std::unique_ptr<PairProbe> probes_[2];
};

struct Class {
  std::string level;
  std::deque<Pair> pairs;         ///< which stay where they are
  std::vector<LinkRound> rounds;  ///< of all pairs
};

/// The first pairs of each distance, whose cores are all different.
std::vector<std::unique_ptr<Class>> classes_of(const SurveyPlan& plan) {
  const auto cache =
      static_cast<std::size_t>(plan.cache_bytes.size() > 1 ? plan.cache_bytes[1] : 1.0 * MiB);
  std::vector<Locality> places;
  for (const CoreAt& core : plan.cores) places.push_back(core.place);
  std::vector<std::unique_ptr<Class>> classes;
  for (const PairClass& one : pair_classes(places)) {
    auto made = std::make_unique<Class>();
    made->level = one.level;
    std::vector<bool> is_taken(plan.cores.size());
    for (std::size_t a = 0; a < places.size(); ++a)
      for (std::size_t b = a + 1; b < places.size() && made->pairs.size() < kMostPairs; ++b)
        if (!is_taken[a] && !is_taken[b] &&
            model::shared_level(places[a], places[b]) == one.level) {
          made->pairs.emplace_back(plan.cores[a].pu, plan.cores[b].pu, cache);
          is_taken[a] = is_taken[b] = true;
        }
    classes.push_back(std::move(made));
  }
  return classes;
}

// ---------------------------------------------------------------------------------------------
// A core by itself, its caches and memory.

/// Exclusive ors that wait for each other take a cycle each. Additions of a constant do not: some
/// cores put several together.
double clock_now() {
  constexpr int kOperations = 400'000;
  std::uint64_t x = 0, y = 1;
  asm volatile("" : "+r"(y));  // not a constant for compilers
  const std::uint64_t begin = ticks();
  for (int i = 0; i < kOperations / 8; ++i) {
    for (int k = 0; k < 8; ++k) {
      x ^= y;
      asm volatile("" : "+r"(x));  // not more than one at a time
    }
  }
  return kOperations / ns_since(begin);
}

/// Lines that say where the next one is, each once, in an order of chance.
class Chain {
 public:
  explicit Chain(std::size_t bytes) : next_(bytes / kStep * kPerStep) {
    std::vector<std::uint32_t> order(bytes / kStep);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
    for (std::size_t i = 0; i < order.size(); ++i)
      next_[order[i] * kPerStep] = order[(i + 1) % order.size()] * kPerStep;
  }
  double ns_per_line(int steps) {
    const std::uint64_t begin = ticks();
    std::uint32_t at = at_;
    for (int i = 0; i < steps; ++i) at = *static_cast<volatile std::uint32_t*>(&next_[at]);
    at_ = at;
    return ns_since(begin) / steps;
  }

 private:
  static constexpr std::size_t kStep = kLineBytes, kPerStep = kStep / sizeof(std::uint32_t);
  std::vector<std::uint32_t> next_;
  std::uint32_t at_ = 0;
};

/// Bytes per nanosecond that this thread reads.
double reading(const std::vector<std::uint64_t>& values) {
  const std::uint64_t begin = ticks();
  std::uint64_t sums[8] = {};
  for (std::size_t i = 0; i + 8 <= values.size(); i += 8)
    for (std::size_t k = 0; k < 8; ++k) sums[k] += values[i + k];
  const double ns = ns_since(begin);
  static_cast<void>(*static_cast<volatile std::uint64_t*>(std::max_element(sums, sums + 8)));
  return static_cast<double>(values.size() * sizeof(std::uint64_t)) / ns;
}

class Collected {
 public:
  void add(const std::string& name, double value) { values_[name].push_back(value); }
  Summary of(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? Summary{} : summary_of(found->second);
  }

 private:
  std::map<std::string, std::vector<double>> values_;
};

constexpr std::size_t kMemoryBytes = 64 * MiB;

std::size_t beyond_caches(const SurveyPlan& plan) {
  const double last = plan.cache_bytes.empty() ? 32.0 * MiB : plan.cache_bytes.back();
  return static_cast<std::size_t>(std::clamp(4 * last, 128.0 * MiB, 256.0 * MiB));
}

void measure_one_core(const SurveyPlan& plan, Collected& all) {
  on({plan.cores.front().pu}, [&](std::size_t) {
    std::vector<Chain> chains;
    std::vector<std::byte> room;
    for (const double bytes : plan.cache_bytes)
      chains.emplace_back(static_cast<std::size_t>(std::min(bytes / 2, 8.0 * MiB)));
    Chain memory(beyond_caches(plan));
    room.resize(16 * MiB);
    std::vector<std::byte> source(16 * KiB, std::byte{1});
    for (int round = 0; round < 15; ++round) {
      all.add("clock", clock_now());
      const model::Core core = measure_core(5);
      all.add("call", core.call), all.add("step", core.step), all.add("look", core.look);
      all.add("publish", core.publish), all.add("combine", core.combine);
      all.add("copy", core.copy);
      for (std::size_t i = 0; i < chains.size(); ++i) {
        const std::string cache = "cache" + std::to_string(i);
        chains[i].ns_per_line(20'000);
        all.add(cache + ".latency", chains[i].ns_per_line(20'000));
        const double bytes = std::min(plan.cache_bytes[i] / 4, 8.0 * MiB);
        all.add(cache + ".line",
                measure_copy(room, static_cast<std::size_t>(bytes), 2) / model::kLinesOfCopy);
      }
      all.add("memory.latency", memory.ns_per_line(20'000));
      const std::uint64_t begin = ticks();
      for (std::size_t at = 0; at + source.size() <= room.size(); at += source.size()) {
        void* const target = room.data() + at;
        copy_to_all(source.data(), &target, 1, source.size(), Stores::streaming);
      }
      const std::size_t lines = room.size() / kLineBytes;
      all.add("memory.streamed", ns_since(begin) / static_cast<double>(lines));
    }
  });
}

/// One core, then all cores of one memory together.
void measure_bandwidth(const SurveyPlan& plan, Collected& all) {
  for (const bool is_alone : {true, false}) {
    std::vector<std::uint32_t> pus = {plan.cores.front().pu};
    if (!is_alone && !plan.memory_sharers.empty()) pus = plan.memory_sharers.front();
    std::barrier meeting(static_cast<std::ptrdiff_t>(pus.size()));
    std::vector<double> got(pus.size());
    on(pus, [&](std::size_t i) {
      const std::vector<std::uint64_t> values(kMemoryBytes / sizeof(std::uint64_t), i);
      for (int round = 0; round < 9; ++round) {
        meeting.arrive_and_wait();
        got[i] = reading(values);
        meeting.arrive_and_wait();
        if (i == 0)
          all.add(is_alone ? "memory.one" : "memory.all",
                  std::accumulate(got.begin(), got.end(), 0.0));
      }
    });
  }
}

/// Measures the share that each core gets of a shared cache when all stream at once.
void measure_sharing(const SurveyPlan& plan, Collected& all) {
  if (plan.cache_bytes.empty()) return;
  std::vector<std::uint32_t> pus;
  for (const CoreAt& core : plan.cores) pus.push_back(core.pu);
  const auto bytes = static_cast<std::size_t>(std::clamp(
      plan.cache_bytes.back() / 4 / static_cast<double>(pus.size()), 256.0 * KiB, 4.0 * MiB));
  std::barrier meeting(static_cast<std::ptrdiff_t>(pus.size()));
  std::vector<double> took(pus.size());
  on(pus, [&](std::size_t i) {
    std::vector<std::byte> room(2 * bytes);
    for (int round = 0; round < 9; ++round) {
      meeting.arrive_and_wait();
      took[i] = measure_copy(room, bytes, 2);
      meeting.arrive_and_wait();
      if (i == 0)
        all.add("last.shared_line", std::accumulate(took.begin(), took.end(), 0.0) /
                                        static_cast<double>(took.size() * took.size()) /
                                        model::kLinesOfCopy);
    }
  });
}

/// Two threads of one core give it to each other.
void measure_yield(const SurveyPlan& plan, Collected& all) {
  const std::uint32_t pu = plan.cores.front().pu;
  constexpr int kTurns = 2000;
  for (int round = 0; round < 9; ++round) {
    double took = 0;
    std::atomic<int> ready{0};
    on({pu, pu}, [&](std::size_t i) {
      // seq_cst: both have come. Each other's partner.
      ++ready;
      while (ready.load() < 2) sched_yield();
      const std::uint64_t begin = ticks();
      for (int turn = 0; turn < kTurns; ++turn) sched_yield();
      if (i == 0) took = ns_since(begin) / (2 * kTurns);
    });
    all.add("yield", took);
  }
}

Findings alone(const SurveyPlan& plan, const Collected& all) {
  Findings found;
  found.core = {all.of("clock"),   all.of("call"),    all.of("step"), all.of("look"),
                all.of("publish"), all.of("combine"), all.of("copy"), all.of("yield")};
  for (std::size_t i = 0; i < plan.cache_bytes.size(); ++i) {
    const std::string cache = "cache" + std::to_string(i);
    const Summary line = all.of(cache + ".line");
    const bool is_last = i + 1 == plan.cache_bytes.size();
    found.caches.push_back({plan.cache_bytes[i], all.of(cache + ".latency"), line,
                            is_last && i > 0 ? all.of("last.shared_line") : line});
  }
  found.memory = {all.of("memory.latency"), all.of("memory.one"), all.of("memory.all"),
                  all.of("memory.streamed")};
  return found;
}

// ---------------------------------------------------------------------------------------------

LinkSummary summary_of_link(const Class& one, const std::function<bool(double signal)>& counts) {
  std::vector<LinkRound> rounds;
  for (const LinkRound& round : one.rounds)
    if (counts(round.signal)) rounds.push_back(round);
  const auto of = [&](double LinkRound::*number) {
    std::vector<double> values;
    for (const LinkRound& round : rounds) values.push_back(round.*number);
    return summary_of(std::move(values));
  };
  LinkSummary link;
  link.level = one.level;
  for (const Pair& pair : one.pairs) link.pairs.push_back(pair.pus());
  link.signal = of(&LinkRound::signal);
  link.modified = of(&LinkRound::modified);
  link.exclusive = of(&LinkRound::exclusive);
  link.memory = of(&LinkRound::memory);
  link.ownership = of(&LinkRound::ownership);
  link.further_line = of(&LinkRound::further_line);
  for (std::size_t i = 0; !rounds.empty() && i < rounds.front().copies.size(); ++i) {
    std::vector<double> writes, reads;
    for (const LinkRound& round : rounds) {
      writes.push_back(round.copies[i].write);
      reads.push_back(round.copies[i].read);
    }
    const model::ScratchCopy& copy = rounds.front().copies[i];
    link.copies.push_back({copy.bytes, copy.span, copy.streams, summary_of(std::move(writes)),
                           summary_of(std::move(reads))});
  }
  for (std::size_t kind = 0; !rounds.empty() && kind < rounds.front().signals_by_pause.size();
       ++kind) {
    std::vector<double> values;
    for (const LinkRound& round : rounds) values.push_back(round.signals_by_pause[kind]);
    link.signals_by_pause.push_back(summary_of(std::move(values)));
  }
  return link;
}

}  // namespace

std::string why_not_measurable(const SurveyPlan& plan) {
  if (plan.cores.size() < 2)
    return "there is one core for this process, and what lies between two cannot be seen";
  std::string refused;
  for (const CoreAt& core : plan.cores) {
    std::thread([&] {
      if (!bind_to(core.pu)) refused = std::to_string(core.pu);
    }).join();
    if (!refused.empty()) return "the system does not let threads be bound to PU " + refused;
  }
  return "";
}

std::vector<Findings> survey(const SurveyPlan& plan) {
  using Clock = KernelClock;
  const auto seconds_since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  // relaxed: a flag that orders nothing. Partner: its writer.
  const auto is_stopped = [&] {
    return plan.is_stopped != nullptr && plan.is_stopped->load(std::memory_order_relaxed);
  };
  const auto tell = [&](double share, const std::string& what) {
    if (plan.progress) plan.progress(share, what);
  };
  Collected all;
  const std::pair<const char*, void (*)(const SurveyPlan&, Collected&)> parts[] = {
      {"a core and its caches", measure_one_core},
      {"memory", measure_bandwidth},
      {"caches that are shared", measure_sharing},
      {"turns on a core", measure_yield}};
  double share = 0;
  for (const auto& [what, measure] : parts) {
    if (is_stopped()) break;
    tell(share, what);
    measure(plan, all);
    share += 0.05;
  }
  std::vector<std::unique_ptr<Class>> classes = classes_of(plan);
  const auto begin = Clock::now();
  for (std::size_t round = 0; round < kMostRounds && !is_stopped(); ++round) {
    const double done = seconds_since(begin) / plan.seconds;
    if (done >= 1 && round >= kLeastRounds) break;
    tell(share + (1 - share) * std::min(done, 1.0), "what lies between cores");
    for (const auto& one : classes)
      for (Pair& pair : one->pairs)
        if (auto found = pair.round()) one->rounds.push_back(std::move(*found));
  }
  // The regime shows in the nearest distance whose signals fall into two groups.
  double gap = 0;
  for (const auto& one : classes) {
    std::vector<double> signals;
    for (const LinkRound& round : one->rounds) signals.push_back(round.signal);
    if (gap == 0) gap = gap_in(std::move(signals));
  }
  std::vector<Findings> found;
  for (const bool is_far : {false, true}) {
    if (is_far && gap == 0) break;
    found.push_back(alone(plan, all));
    for (const auto& one : classes)
      found.back().links.push_back(summary_of_link(
          *one, [&](double signal) { return gap == 0 || (signal > gap) == is_far; }));
  }
  return found;
}

}  // namespace terrace::measure
