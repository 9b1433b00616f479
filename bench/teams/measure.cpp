// SPDX-License-Identifier: BSD-3-Clause
// Rounds, batches, checks, and rows made of them.
#include "measure.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "recipes.hpp"

namespace terrace::bench {

namespace {

constexpr std::size_t kPage = 4096;

/// Up to here calls are timed back to back; beyond, one by one from a barrier, so that rewriting
/// the inputs stays out of the time.
constexpr std::size_t kBackToBackBytes = 64;

/// Long vectors: a batch has at least so many calls ...
constexpr double kLeastCalls = 4;
/// ... and where it has fewer than this, so many before them are not timed.
constexpr std::size_t kFewCalls = 16, kUntimedCalls = 3;

struct PageVector {
  explicit PageVector(std::size_t count)
      : values(static_cast<double*>(::operator new((count * sizeof(double) / kPage + 1) * kPage,
                                                   std::align_val_t(kPage)))) {}
  ~PageVector() { ::operator delete(values, std::align_val_t(kPage)); }
  PageVector(const PageVector&) = delete;
  double* values;
};

/// One measurement of one point: what its threads share.
class Timings {
 public:
  Timings(Crew& crew, const Point& point, const Contenders& contenders, const Effort& effort)
      : crew_(crew),
        point_(point),
        contenders_(contenders),
        effort_(effort),
        recipes_(recipes_of(point.collective, crew.ranks())),
        shares_(crew.ranks()) {
    vectors_.count = point.bytes / sizeof(double);
    for (Rank rank = 0; rank < crew.ranks(); ++rank) {
      places_.push_back(std::make_unique<PageVector>(all_elements()));
      vectors_.inputs.push_back(places_.back()->values);
      places_.push_back(std::make_unique<PageVector>(all_elements()));
      vectors_.outputs.push_back(places_.back()->values);
    }
    timings_.resize(contenders.size());
    calls_.assign(contenders.size(), 1);
  }

  std::vector<Timing> run() {
    crew_.run([this](Rank rank) { run(rank); });
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
      timings_[i].name = contenders_[i]->name();
      timings_[i].plan = contenders_[i]->plan();
    }
    return std::move(timings_);
  }

 private:
  struct alignas(kLinePairBytes) Share {
    double us = 0;
    long switches = 0;
    bool right = true;
  };

  void run(Rank rank) {
    std::fill_n(vectors_.inputs[rank], all_elements(), 0.0);
    std::fill_n(vectors_.outputs[rank], all_elements(), 0.0);
    for (const auto& contender : contenders_) contender->prepare(rank);
    crew_.barrier(rank);
    const double start = now_ns();
    for (std::size_t i = 0; i < contenders_.size(); ++i) calibrate(rank, i);
    for (int round = 0; round < effort_.rounds; ++round) {
      for (std::size_t i = 0; i < contenders_.size(); ++i)
        sample(rank, (i + static_cast<std::size_t>(round)) % contenders_.size());
      if (rank == 0) is_over_ = now_ns() - start > effort_.most_seconds * 1e9;
      crew_.barrier(rank);
      if (is_over_ && round >= 5) break;
      crew_.barrier(rank);
    }
  }

  /// Finds how many calls make a batch. The quickest of some tries counts: first calls are cold,
  /// and another program may have had the PU.
  void calibrate(Rank rank, std::size_t index) {
    double best = 1e9;
    std::size_t calls = 1;
    for (int attempt = 0; attempt < 6; ++attempt) {
      best = std::min(best, slowest(rank, batch(rank, *contenders_[index], calls)));
      const double wanted = std::clamp(effort_.batch_us / 2 / best, 1.0, 1e5);
      calls = std::min(static_cast<std::size_t>(wanted), 20 * calls);
      if (attempt >= 2 && best * static_cast<double>(calls) > 2 * effort_.batch_us) break;
    }
    if (rank == 0)
      calls_[index] =
          static_cast<std::size_t>(std::clamp(effort_.batch_us / best, kLeastCalls, 1e6));
    crew_.barrier(rank);
  }

  /// The most that any rank says.
  double slowest(Rank rank, double us) {
    shares_[rank].us = us;
    crew_.barrier(rank);
    double most = 0;
    for (const Share& share : shares_) most = std::max(most, share.us);
    crew_.barrier(rank);
    return most;
  }

  void sample(Rank rank, std::size_t index) {
    Sample result;
    result.before = crew_.probe(rank);
    const long switches = involuntary_switches();
    Share& mine = shares_[rank];
    mine.us = batch(rank, *contenders_[index], calls_[index]);
    mine.switches = involuntary_switches() - switches;
    mine.right = is_right(rank, *contenders_[index]);
    crew_.barrier(rank);
    result.after = crew_.probe(rank);
    if (rank == 0) keep(index, result);
    crew_.barrier(rank);
  }

  void keep(std::size_t index, Sample result) {
    bool right = true;
    for (const Share& share : shares_) {
      result.us = std::max(result.us, share.us);
      result.disturbed |= share.switches != 0 && !crew_.is_oversubscribed();
      right &= share.right;
    }
    timings_[index].samples.push_back(result);
    timings_[index].wrong += !right;
  }

  bool is_back_to_back() const {
    // Each rank hears from all others, so that none is ever a call ahead.
    const bool is_symmetric =
        point_.collective == Collective::barrier || point_.collective == Collective::allreduce ||
        point_.collective == Collective::allgather || point_.collective == Collective::alltoall ||
        point_.collective == Collective::reduce_scatter_block;
    return (is_symmetric && point_.bytes <= kBackToBackBytes) || crew_.is_oversubscribed();
  }

  /// Microseconds per call, of this rank.
  double batch(Rank rank, Contender& contender, std::size_t calls) {
    if (contender.leaves() == Leaves::one_output || !is_back_to_back())
      return one_by_one(rank, contender, calls);
    crew_.barrier(rank);
    const double start = now_ns();
    for (std::size_t i = 0; i < calls; ++i) {
      rewrite(rank, i);
      contender.call(rank, vectors_);
    }
    return (now_ns() - start) * 1e-3 / static_cast<double>(calls);
  }

  /// Times calls one by one. Where a batch has few calls, the first are not timed: they find the
  /// caches as the contender before has left them.
  double one_by_one(Rank rank, Contender& contender, std::size_t calls) {
    const std::size_t untimed = calls < kFewCalls ? kUntimedCalls : 0;
    double total = 0;
    for (std::size_t i = 0; i < calls + untimed; ++i) {
      use(rank);
      rewrite(rank, i);
      if (contender.leaves() == Leaves::one_output && rank == 0)
        std::fill_n(vectors_.outputs[0], vectors_.count, 0.0);
      crew_.barrier(rank);
      const double start = now_ns();
      contender.call(rank, vectors_);
      if (i >= untimed) total += now_ns() - start;
      crew_.barrier(rank);
    }
    return total * 1e-3 / static_cast<double>(calls);
  }

  /// A program reads what it got, so that the result of the call before lies in its rank's cache,
  /// whichever contender made it.
  void use(Rank rank) {
    double sum = 0;
    for (const Wanted& wanted : recipes_[rank].outputs) {
      const double* block = vectors_.outputs[rank] + wanted.block * vectors_.count;
      for (std::size_t i = 0; i < vectors_.count; ++i) sum += block[i];
    }
    used_ = sum;
  }

  /// Small whole numbers, so that every sum is exact in any order.
  static double value_of(const Term& term, std::size_t call) {
    return static_cast<double>((call & 7) + term.rank + 1000u * term.block);
  }

  void rewrite(Rank rank, std::size_t call) {
    last_call_ = call;
    for (const std::uint16_t block : recipes_[rank].inputs)
      std::fill_n(vectors_.inputs[rank] + block * vectors_.count, vectors_.count,
                  value_of({rank, block}, call));
  }

  bool is_right(Rank rank, const Contender& contender) const {
    if (contender.name() == "bare yield barrier") return true;
    if (contender.leaves() == Leaves::one_output && rank != 0) return true;
    const auto holds = [&](const Wanted& wanted) {
      double expected = 0;
      for (const Term& term : wanted.terms) expected += value_of(term, last_call_);
      const double* block = vectors_.outputs[rank] + wanted.block * vectors_.count;
      return std::all_of(block, block + vectors_.count,
                         [&](double value) { return value == expected; });
    };
    const std::vector<Wanted>& outputs = recipes_[rank].outputs;
    return std::all_of(outputs.begin(), outputs.end(), holds);
  }

  std::size_t all_elements() const {
    return vectors_.count * (has_block_per_rank(point_.collective) ? crew_.ranks() : 1);
  }

  Crew& crew_;
  const Point& point_;
  const Contenders& contenders_;
  const Effort& effort_;
  const std::vector<Recipe> recipes_;
  std::vector<std::unique_ptr<PageVector>> places_;
  Vectors vectors_;
  std::vector<Share> shares_;
  std::vector<Timing> timings_;
  std::vector<std::size_t> calls_;
  bool is_over_ = false;
  static thread_local std::size_t last_call_;
  static thread_local volatile double used_;
};

thread_local std::size_t Timings::last_call_ = 0;
thread_local volatile double Timings::used_ = 0;

bool is_clean(const Sample& sample, const Regimes& regimes, const std::string& regime) {
  return !sample.disturbed && regimes.of(sample) == regime;
}

/// Per round: a / b of the rounds in which both are clean and of this regime.
Median paired(const Timing& a, const Timing& b, const Regimes& regimes, const std::string& regime) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(a.samples.size(), b.samples.size()); ++i)
    if (is_clean(a.samples[i], regimes, regime) && is_clean(b.samples[i], regimes, regime))
      ratios.push_back(a.samples[i].us / b.samples[i].us);
  return median_of(ratios);
}

Median times_of(const Timing& timing, const Regimes& regimes, const std::string& regime) {
  std::vector<double> times;
  for (const Sample& sample : timing.samples)
    if (is_clean(sample, regimes, regime)) times.push_back(sample.us);
  return median_of(times);
}

std::string quoted(const std::string& text) {
  return "\"" + text + "\"";
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

/// Terrace's own results in one regime, the best floor included.
Row base_row(const Point& point, const std::vector<Timing>& timings, std::size_t floors,
             const Regimes& regimes, const std::string& regime) {
  Row row;
  row.point = point;
  row.regime = regime;
  row.plan = timings[0].plan;
  row.us = times_of(timings[0], regimes, regime);
  row.dropped = timings[0].samples.size() - row.us.count;
  row.wrong = timings[0].wrong;
  for (std::size_t i = 1; i <= floors; ++i) {
    const Median us = times_of(timings[i], regimes, regime);
    if (us.count == 0 || (row.floor_us > 0 && us.value >= row.floor_us)) continue;
    row.floor_us = us.value;
    row.floor = timings[i].name;
    row.of_floor = paired(timings[0], timings[i], regimes, regime);
  }
  return row;
}

}  // namespace

std::vector<Timing> measure(Crew& crew, const Point& point, const Contenders& contenders,
                            const Effort& effort) {
  return Timings(crew, point, contenders, effort).run();
}

std::vector<Row> rows_of(const Point& point, const std::vector<Timing>& timings,
                         std::size_t floors) {
  std::vector<double> probes;
  for (const Timing& timing : timings)
    for (const Sample& sample : timing.samples) {
      probes.push_back(sample.before);
      probes.push_back(sample.after);
    }
  const Regimes regimes = find_regimes(probes);
  std::vector<Row> rows;
  for (const std::string regime : {"near", "far", "single"}) {
    const Row base = base_row(point, timings, floors, regimes, regime);
    if (base.us.count == 0) continue;
    if (timings.size() == floors + 1) rows.push_back(base);
    for (std::size_t i = floors + 1; i < timings.size(); ++i) {
      Row row = base;
      row.peer = timings[i].name;
      row.peer_us = times_of(timings[i], regimes, regime).value;
      row.ratio = paired(timings[i], timings[0], regimes, regime);
      rows.push_back(row);
    }
  }
  // Where not one batch was clean, say so rather than nothing.
  if (rows.empty()) rows.push_back(base_row(point, timings, floors, regimes, "unknown"));
  return rows;
}

std::string to_json(const Row& row) {
  std::string json = "{\"collective\": " + quoted(to_text(row.point.collective));
  const auto add = [&](const char* key, const std::string& value) {
    json += ", " + quoted(key) + ": " + value;
  };
  add("bytes", std::to_string(row.point.bytes));
  add("ranks", std::to_string(row.point.ranks));
  add("mode", quoted(row.mode));
  add("regime", quoted(row.regime));
  add("plan", quoted(row.plan));
  const bool is_known = row.us.count != 0;
  add("us_median", is_known ? number(row.us.value) : "null");
  add("us_low", is_known ? number(row.us.low) : "null");
  add("us_high", is_known ? number(row.us.high) : "null");
  add("floor", quoted(row.floor));
  add("floor_us", row.floor_us > 0 ? number(row.floor_us) : "null");
  add("of_floor", row.of_floor.count != 0 ? number(row.of_floor.value) : "null");
  add("peer", row.peer.empty() ? "null" : quoted(row.peer));
  add("peer_us_median", row.peer_us > 0 ? number(row.peer_us) : "null");
  add("ratio", row.ratio.count != 0 ? number(row.ratio.value) : "null");
  add("ratio_low", row.ratio.count != 0 ? number(row.ratio.low) : "null");
  add("verdict", quoted(verdict(row.ratio, row.us.value, row.floor_us)));
  add("samples", std::to_string(row.us.count));
  add("dropped", std::to_string(row.dropped));
  add("wrong", std::to_string(row.wrong));
  return json + "}";
}

std::vector<Row> bench_threads(const Point& point, const Effort& effort, Contenders more) {
  Crew crew(point.ranks);
  Contenders contenders;
  contenders.push_back(make_ours(crew, point.collective, Reach::direct));
  Contenders floors = make_floors(crew, point.collective, point.bytes);
  const std::size_t floor_count = floors.size();
  for (auto& floor : floors) contenders.push_back(std::move(floor));
  for (auto& peer : make_openmp_peers(point.collective, point.ranks))
    contenders.push_back(std::move(peer));
  for (auto& peer : more) contenders.push_back(std::move(peer));
  return rows_of(point, measure(crew, point, contenders, effort), floor_count);
}

void restart_for_peers(char** arguments) {
  if (getenv("OMP_WAIT_POLICY") != nullptr) return;
  setenv("OMP_WAIT_POLICY", "active", 1);
  setenv("OMP_STACKSIZE", "64M", 0);
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? rlim_t{256} << 20
                                                   : std::min(limit.rlim_max, rlim_t{256} << 20);
  setrlimit(RLIMIT_STACK, &limit);
  execv("/proc/self/exe", arguments);
}

}  // namespace terrace::bench
