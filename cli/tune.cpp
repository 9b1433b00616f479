// SPDX-License-Identifier: BSD-3-Clause
// `terrace tune`: times the ways that are predicted to be the fastest, and writes down which are.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/bytes.hpp"
#include "base/durations.hpp"
#include "base/number.hpp"
#include "base/text_file.hpp"
#include "base/ticks.hpp"
#include "base/user_file.hpp"
#include "bench_results.hpp"
#include "choose/tuning_text.hpp"
#include "engine/tunings.hpp"
#include "interruption.hpp"
#include "machine/machine.hpp"
#include "measure/known_costs.hpp"
#include "measure/median.hpp"
#include "refusals.hpp"
#include "subcommands.hpp"
#include "this_machine.hpp"
#include "ways.hpp"

namespace tune_verb {
namespace {

using namespace terrace;

constexpr Verb kVerb{"terrace tune"};
constexpr std::size_t kLeastBytes = 8, kMostBytes = 4 << 20;
constexpr Rank kMostRanks = 256;
/// An algorithm must be this much faster, this certainly, to replace the predicted one.
constexpr double kGain = 1.03, kCertain = 0.8;
constexpr std::size_t kLeastSamples = 5;

constexpr Collective kTuned[] = {Collective::bcast,     Collective::reduce,
                                 Collective::allreduce, Collective::allgather,
                                 Collective::gather,    Collective::scatter,
                                 Collective::alltoall,  Collective::reduce_scatter_block,
                                 Collective::scan,      Collective::exscan};

struct Options {
  std::vector<std::string> collectives, bytes, ranks;
  std::string form = "both", path;
  double seconds = 0.3;
  bool is_again = false, shows = false;
};

/// One class of calls of one team.
struct TunedPoint {
  Collective collective;
  std::size_t bytes;
};

std::string tuned_collectives() {
  std::string names;
  for (const Collective one : kTuned)
    names += (names.empty() ? "" : ", ") + std::string(to_text(one));
  return names;
}

std::vector<TunedPoint> points_of(const Options& options) {
  std::vector<Collective> collectives(std::begin(kTuned), std::end(kTuned));
  if (!options.collectives.empty()) collectives.clear();
  for (const std::string& name : options.collectives) {
    const auto found = collective_from_text(name);
    if (!found || std::find(std::begin(kTuned), std::end(kTuned), *found) == std::end(kTuned))
      kVerb.refuse("--collectives '" + name + "' given, expected some of " + tuned_collectives());
    collectives.push_back(*found);
  }
  std::vector<std::size_t> sizes;
  for (const std::string& text : options.bytes) {
    const std::size_t bytes = kVerb.bytes(text, "--bytes ");
    if (bytes < kLeastBytes || bytes > kMostBytes || bytes % sizeof(double) != 0)
      kVerb.refuse("--bytes '" + text + "' given, expected a multiple of 8 from 8 to 4MiB");
    sizes.push_back(bytes);
  }
  if (sizes.empty())
    for (std::size_t bytes = kLeastBytes; bytes <= kMostBytes; bytes *= 2) sizes.push_back(bytes);
  std::vector<TunedPoint> points;
  for (const Collective collective : collectives)
    for (const std::size_t bytes : sizes) points.push_back({collective, bytes});
  return points;
}

/// Powers of two below the number of cores, and that number.
std::vector<Rank> ranks_of(const Options& options, std::size_t cores) {
  const auto most = static_cast<Rank>(std::min<std::size_t>(cores, kMostRanks));
  std::vector<Rank> all;
  for (const std::string& word : options.ranks) {
    const auto ranks = number_from_text<Rank>(word, 2, kMostRanks);
    if (!ranks)
      kVerb.refuse("--ranks '" + word + "' given, expected numbers from 2 to " +
                   std::to_string(kMostRanks));
    if (*ranks > most)
      kVerb.refuse("--ranks " + word + " given, but this process may use " + std::to_string(cores) +
                   " cores, and each rank that is tuned for needs its own");
    all.push_back(*ranks);
  }
  if (!all.empty()) return all;
  for (Rank ranks = 2; ranks < most; ranks *= 2) all.push_back(ranks);
  all.push_back(most);
  return all;
}

// ---------------------------------------------------------------------------------------------
// Tuning.

class Tuner {
 public:
  Tuner(Tuning& tuning, std::string path, const Options& options)
      : tuning_(tuning), path_(std::move(path)), options_(options) {}

  /// All points of such a team; false if it was interrupted.
  bool run(const std::vector<TunedPoint>& points, const std::vector<Locality>& places,
           bool are_threads);
  void expect(std::size_t points) { points_ = points; }
  /// "90 points timed, 3 known already, 2 too disturbed to tell: run it again for these".
  std::string summary() const;

 private:
  void tune(bench::WayTimer& timer, const TunedPoint& point);
  bool is_known(const bench::WayTimer& timer, std::size_t sight, const TunedPoint& point) const;
  TunedTeam& team_of(const bench::WayTimer& timer, const bench::Sight& sight);
  void show_progress(const bench::WayTimer& timer, const TunedPoint& point) const;

  Tuning& tuning_;
  std::string path_;
  const Options& options_;
  std::size_t points_ = 0, done_ = 0, timed_ = 0, disturbed_ = 0;
  KernelClock::duration spent_{};
};

TunedTeam& Tuner::team_of(const bench::WayTimer& timer, const bench::Sight& sight) {
  for (TunedTeam& team : tuning_.teams)
    if (is_of(team, timer.ranks(), timer.are_threads()) &&
        measure::are_alike(team.signals, sight.signals))
      return team;
  TunedTeam team;
  team.ranks = timer.ranks();
  team.are_threads = timer.are_threads();
  team.levels = timer.levels();
  team.signals = sight.signals;
  return tuning_.teams.emplace_back(std::move(team));
}

/// On the machine as it is now.
bool Tuner::is_known(const bench::WayTimer& timer, std::size_t sight,
                     const TunedPoint& point) const {
  for (const TunedTeam& team : tuning_.teams)
    if (is_of(team, timer.ranks(), timer.are_threads()) &&
        measure::are_alike(team.signals, timer.sights()[sight].signals) &&
        find_row(team.rows, point.collective, point.bytes) != nullptr)
      return true;
  return false;
}

std::string Tuner::summary() const {
  std::string text = std::to_string(timed_ - disturbed_) + " points timed";
  if (done_ > timed_) text += ", " + std::to_string(done_ - timed_) + " known already";
  if (disturbed_ > 0)
    text += ", " + std::to_string(disturbed_) + " too disturbed to tell: run it again for these";
  return text;
}

void Tuner::show_progress(const bench::WayTimer& timer, const TunedPoint& point) const {
  if (isatty(STDERR_FILENO) == 0) return;
  std::string left;
  if (timed_ > 0) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(spent_).count();
    const auto points = static_cast<long>(points_ - done_);
    left = ", " + std::to_string(seconds * points / static_cast<long>(timed_)) + " s left";
  }
  std::fprintf(stderr, "\r%3zu %%  %s of %s by %u %s%s%20s", 100 * done_ / points_,
               to_text(point.collective), bytes_text(point.bytes).c_str(), timer.ranks(),
               timer.are_threads() ? "threads" : "processes", left.c_str(), "");
}

/// Each choice once, of all machines that this one has been seen as.
std::vector<Choice> ways_for(const bench::WayTimer& timer, const Question& question) {
  std::vector<Choice> ways;
  for (const bench::Sight& sight : timer.sights())
    for (const Candidate& candidate : sight.chooser->ranked(question))
      if (std::find(ways.begin(), ways.end(), candidate.choice) == ways.end())
        ways.push_back(candidate.choice);
  return ways;
}

/// The fastest, if it is certainly faster than what is predicted to be so, or that.
std::size_t fastest_of(const std::vector<std::vector<double>>& us, std::size_t predicted) {
  std::size_t best = predicted;
  for (std::size_t way = 0; way < us.size(); ++way) {
    const double took = measure::median(us[way]);
    if (us[way].size() >= kLeastSamples && kGain * took < measure::median(us[predicted]) &&
        measure::share_won(us[way], us[predicted]) >= kCertain &&
        (best == predicted || took < measure::median(us[best])))
      best = way;
  }
  return best;
}

void Tuner::tune(bench::WayTimer& timer, const TunedPoint& point) {
  const Question question{point.collective, point.bytes};
  const std::vector<Choice> ways = ways_for(timer, question);
  const auto timed = kVerb.value(timer.time(point.collective, point.bytes, ways, options_.seconds));
  bool is_told = false;
  for (const bench::TimedWays& one : timed) {
    const bench::Sight& sight = timer.sights()[one.sight];
    const std::vector<Candidate>& ranked = sight.chooser->ranked(question);
    const auto place = std::find(ways.begin(), ways.end(), ranked.front().choice);
    assert(place != ways.end());
    const auto predicted = static_cast<std::size_t>(place - ways.begin());
    if (one.us[predicted].size() < kLeastSamples) continue;
    const std::size_t best = fastest_of(one.us, predicted);
    TunedRow row;
    row.collective = point.collective;
    row.bytes = length_class(point.bytes);
    row.choice = ways[best];
    row.measured_ns = 1e3 * measure::median(one.us[best]);
    for (const Candidate& candidate : ranked)
      if (candidate.choice == row.choice) row.predicted_ns = candidate.predicted_ns;
    TunedTeam& team = team_of(timer, sight);
    team.day = today();
    std::erase_if(team.rows, [&](const TunedRow& old) {
      return old.collective == row.collective && old.bytes == row.bytes;
    });
    team.rows.push_back(row);
    is_told = true;
  }
  disturbed_ += !is_told;
}

/// Teams from few ranks to many, of processes before threads, from near to far; rows by collective
/// and length.
void sort(Tuning& tuning) {
  std::stable_sort(tuning.teams.begin(), tuning.teams.end(),
                   [](const TunedTeam& one, const TunedTeam& other) {
                     return std::tie(one.ranks, one.are_threads, one.signals) <
                            std::tie(other.ranks, other.are_threads, other.signals);
                   });
  for (TunedTeam& team : tuning.teams)
    std::stable_sort(
        team.rows.begin(), team.rows.end(), [](const TunedRow& one, const TunedRow& other) {
          return std::tie(one.collective, one.bytes) < std::tie(other.collective, other.bytes);
        });
}

bool Tuner::run(const std::vector<TunedPoint>& points, const std::vector<Locality>& places,
                bool are_threads) {
  bench::WayTimer timer(places, are_threads);
  for (const TunedPoint& point : points) {
    // relaxed: a wish, which orders nothing. Partner: `note_interruptions`.
    if (is_interrupted.load(std::memory_order_relaxed)) return false;
    const auto begin = KernelClock::now();
    const auto sight = timer.look_patiently();
    if (!sight) kVerb.fail("the ranks do not see each other's signals: is the machine busy?");
    if (options_.is_again || !is_known(timer, *sight, point)) {
      show_progress(timer, point);
      tune(timer, point);
      sort(tuning_);
      kVerb.value(write_text_file(path_, to_json(tuning_)));
      ++timed_;
      spent_ += KernelClock::now() - begin;
    }
    ++done_;
  }
  return true;
}

// ---------------------------------------------------------------------------------------------
// What is in force.

void print(const TunedTeam& team) {
  std::printf("\n%u %s, tuned %s; signals of", team.ranks,
              team.are_threads ? "threads" : "processes", team.day.c_str());
  if (team.signals.empty()) std::printf(" any length");
  for (std::size_t i = 0; i < team.signals.size(); ++i)
    std::printf("%s %.0f ns (%s)", i > 0 ? "," : "", team.signals[i], team.levels[i].c_str());
  std::printf("\n%-21s %9s  %10s %10s\n", "", "", "predicted", "measured");
  for (const TunedRow& row : team.rows) {
    std::printf("%-21s %9s  %10s %10s %s  %s\n", to_text(row.collective),
                bytes_text(row.bytes).c_str(),
                row.predicted_ns > 0 ? duration_text(row.predicted_ns).c_str() : "-",
                row.measured_ns > 0 ? duration_text(row.measured_ns).c_str() : "-",
                are_apart(row.predicted_ns, row.measured_ns) ? "*" : " ", to_text(row).c_str());
  }
}

/// The tuning that programs with this environment use, unless `named` names a file.
std::optional<TuningInForce> tuning_to_show(const std::string& named) {
  if (named.empty()) return tuning_in_force();
  const std::string text = kVerb.value(read_text_file(named, kMostTuningBytes));
  return TuningInForce{named, kVerb.value(tuning_from_text(text, named))};
}

void show(const std::string& named) {
  const std::optional<TuningInForce> shown = tuning_to_show(named);
  if (!shown) {
    const std::vector<std::string> paths = tuning_paths();
    std::cout << "No tuning: calls are chosen by predictions. "
              << (paths.empty() ? "TERRACE_TUNING says so.\n" : "Looked for\n");
    for (const std::string& path : paths) std::cout << "  " << path << '\n';
    return;
  }
  std::cout << shown->path << "\n* predicted and measured are more than 20 % apart\n";
  std::fflush(stdout);
  for (const TunedTeam& team : shown->tuning.teams) print(team);
  std::fflush(stdout);
}

/// Returns the tuning to add to: what is there of this machine stays, as far as nothing new is
/// found out.
Tuning tuning_at(const std::string& path, bool is_again) {
  Tuning tuning;
  tuning.processor = measure::this_processor();
  kVerb.value(prepare_text_file(path));
  std::error_code ignored;
  if (is_again || !std::filesystem::exists(path, ignored)) return tuning;
  const std::string text = kVerb.value(read_text_file(path, kMostTuningBytes));
  Result<Tuning> old = tuning_from_text(text, path);
  if (!old) kVerb.refuse(old.error().sentence + "; --again writes a new file");
  if (old.value().processor != tuning.processor)
    kVerb.refuse(path + " is for another machine: \"" + old.value().processor +
                 "\"; name another file");
  return std::move(old).value();
}

/// Whether programs find it without being told.
bool is_found(const std::string& path) {
  const std::vector<std::string> paths = tuning_paths();
  return std::find(paths.begin(), paths.end(), path) != paths.end();
}

void run(const Options& options) {
  if (options.shows) return show(options.path);
  std::string path = options.path;
  if (path.empty())
    path = user_file(UserFolder::config, "tunings/" + tuning_name(measure::this_processor()));
  if (path.empty()) kVerb.refuse("neither HOME nor XDG_CONFIG_HOME is set: name a file with -o");
  const Machine machine = kVerb.value(read_this_machine());
  const std::vector<measure::CoreAt> cores = kVerb.value(usable_cores(machine));
  if (cores.size() < 2) kVerb.fail("this process may use one core, and a team needs two");
  const std::vector<TunedPoint> points = points_of(options);
  const std::vector<Rank> teams = ranks_of(options, cores.size());
  Tuning tuning = tuning_at(path, options.is_again);
  Tuner tuner(tuning, path, options);
  const bool both = options.form == "both";
  tuner.expect(points.size() * teams.size() * (both ? 2 : 1));
  note_interruptions();
  bool is_whole = true;
  for (const Rank ranks : teams) {
    std::vector<Locality> places;
    for (Rank rank = 0; rank < ranks; ++rank) places.push_back(cores[rank].place);
    for (const bool are_threads : {false, true})
      if (both || are_threads == (options.form == "threads"))
        is_whole = is_whole && tuner.run(points, places, are_threads);
  }
  if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\r%70s\r", "");
  std::cout << path << ": " << tuner.summary() << '\n';
  if (!is_found(path)) std::cout << "Programs use it with TERRACE_TUNING=" << path << '\n';
  std::cout.flush();
  if (!is_whole)
    throw CLI::RuntimeError("terrace tune: interrupted; the same command continues", kInterrupted);
}

}  // namespace
}  // namespace tune_verb

void add_tune_subcommand(CLI::App& app) {
  using namespace tune_verb;
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("tune", "Time the algorithms on this machine, keep the fastest by size");
  verb->footer(
      "Examples:\n"
      "  terrace tune                        some minutes for two ranks; teams here use it from\n"
      "                                      then on\n"
      "  terrace tune --collectives allreduce,bcast --ranks 2 --form processes\n"
      "  terrace tune --show                 what is in force, predicted against measured\n"
      "Run nothing else meanwhile. Ctrl-C stops it; the same command continues.");
  CLI::Option* const which[] = {
      verb->add_option("--collectives", options->collectives, "allreduce,bcast,... [all]")
          ->delimiter(','),
      verb->add_option("--bytes", options->bytes, "8,64KiB,... [all powers of two up to 4MiB]")
          ->delimiter(','),
      verb->add_option("--ranks", options->ranks, "2,4,... [powers of two, and all cores]")
          ->delimiter(','),
      verb->add_option("--form", options->form, "kind of ranks [both]")
          ->check(CLI::IsMember({"threads", "processes", "both"})),
      verb->add_option("--seconds", options->seconds, "seconds for each collective and size [0.3]")
          ->check(CLI::Range(0.01, 60.0)),
      verb->add_flag("--again", options->is_again,
                     "measure again the rows that the file already has")};
  verb->add_option("-o,--output", options->path,
                   "file to write, or to show [~/.config/terrace/tunings/NAME.json]");
  CLI::Option* const shows =
      verb->add_flag("--show", options->shows, "print the rows in force, and time nothing");
  for (CLI::Option* const one : which) shows->excludes(one);
  verb->callback([options] { run(*options); });
}
