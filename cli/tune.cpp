// SPDX-License-Identifier: BSD-3-Clause
// `terrace tune`: times the ways that are predicted to be the fastest, and writes which are.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "api/tunings.hpp"
#include "base/bytes.hpp"
#include "base/durations.hpp"
#include "base/number.hpp"
#include "base/text_file.hpp"
#include "base/user_file.hpp"
#include "choose/tuning_text.hpp"
#include "machine/machine.hpp"
#include "measure/known_costs.hpp"
#include "measure/median.hpp"
#include "refusals.hpp"
#include "this_machine.hpp"
#include "verbs.hpp"
#include "ways.hpp"

namespace {

using namespace terrace;

constexpr Verb kVerb{"terrace tune"};
constexpr std::size_t kLeastBytes = 8, kMostBytes = 4 << 20;
constexpr std::size_t kMostRanks = 256;
/// What is not certainly faster by so much is not worth a change: what is predicted is taken.
constexpr double kGain = 1.03, kCertain = 0.8;
constexpr std::size_t kLeastSamples = 5;
/// A prediction further from what was measured is marked.
constexpr double kApart = 1.2;

constexpr Collective kTuned[] = {Collective::bcast,     Collective::reduce,
                                 Collective::allreduce, Collective::allgather,
                                 Collective::gather,    Collective::scatter,
                                 Collective::alltoall,  Collective::reduce_scatter_block,
                                 Collective::scan,      Collective::exscan};

struct Options {
  std::vector<std::string> collectives, bytes;
  std::string ranks, form = "both", path;
  double seconds = 0.3;
  bool is_again = false, shows = false;
};

std::atomic<bool> is_stopped{false};

void stop(int) {
  // relaxed: a wish, which orders nothing. Partner: `Tuner::run`.
  is_stopped.store(true, std::memory_order_relaxed);
}

/// One class of calls of one team.
struct Point {
  Collective collective;
  std::size_t bytes;
};

std::vector<Point> points_of(const Options& options) {
  std::vector<Collective> collectives(std::begin(kTuned), std::end(kTuned));
  if (!options.collectives.empty()) collectives.clear();
  for (const std::string& name : options.collectives) {
    const auto found = collective_from_text(name);
    if (!found || std::find(std::begin(kTuned), std::end(kTuned), *found) == std::end(kTuned))
      kVerb.refuse("there is no collective '" + name + "' to be tuned");
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
  std::vector<Point> points;
  for (const Collective collective : collectives)
    for (const std::size_t bytes : sizes) points.push_back({collective, bytes});
  return points;
}

/// Two, and by twos up to as many as there are cores.
std::vector<Rank> ranks_of(const Options& options, std::size_t cores) {
  const auto most = static_cast<Rank>(std::min(cores, kMostRanks));
  std::vector<Rank> all;
  std::istringstream words(options.ranks);
  for (std::string word; std::getline(words, word, ',');) {
    const auto ranks = number_from_text(word, 2u, most);
    if (!ranks)
      kVerb.refuse("--ranks '" + word + "' given, expected " + (most > 2 ? "2 to " : "") +
                   std::to_string(most) +
                   ", a core for each; ranks that share cores are not tuned");
    all.push_back(*ranks);
  }
  if (!all.empty()) return all;
  for (Rank ranks = 2; ranks < most; ranks *= 2) all.push_back(ranks);
  all.push_back(most);
  return all;
}

std::string text_of(const TunedRow& row) {
  if (row.is_mpi) return "the MPI";
  const bool has_strips = row.choice.strip_bytes != kWhole;
  return std::string(row.choice.algorithm) + (has_strips ? strips_text(row.choice) : "") +
         stores_text(row.choice);
}

// ---------------------------------------------------------------------------------------------
// Tuning.

class Tuner {
 public:
  Tuner(Tuning& tuning, std::string path, const Options& options)
      : tuning_(tuning), path_(std::move(path)), options_(options) {}

  /// All points of such a team; false if it was interrupted.
  bool run(const std::vector<Point>& points, const std::vector<Locality>& places, bool are_threads);
  void expect(std::size_t points) { points_ = points; }
  std::size_t rows() const { return rows_; }

 private:
  void tune(bench::WayTimer& timer, const Point& point);
  bool is_known(const bench::WayTimer& timer, const Point& point) const;
  TunedTeam& team_of(const bench::WayTimer& timer, const bench::Sight& sight);
  void show_progress(const bench::WayTimer& timer, const Point& point) const;

  Tuning& tuning_;
  std::string path_;
  const Options& options_;
  std::size_t points_ = 0, done_ = 0, timed_ = 0, rows_ = 0;
  std::chrono::steady_clock::duration spent_{};
};

TunedTeam& Tuner::team_of(const bench::WayTimer& timer, const bench::Sight& sight) {
  for (TunedTeam& team : tuning_.teams)
    if (team.ranks == timer.ranks() && team.are_threads == timer.are_threads() &&
        measure::are_alike(team.signals, sight.signals))
      return team;
  TunedTeam team;
  team.ranks = timer.ranks();
  team.are_threads = timer.are_threads();
  team.levels = timer.levels();
  team.signals = sight.signals;
  return tuning_.teams.emplace_back(std::move(team));
}

/// On a machine that it has been seen as.
bool Tuner::is_known(const bench::WayTimer& timer, const Point& point) const {
  for (const TunedTeam& team : tuning_.teams)
    for (const bench::Sight& sight : timer.sights())
      if (team.ranks == timer.ranks() && team.are_threads == timer.are_threads() &&
          measure::are_alike(team.signals, sight.signals))
        for (const TunedRow& row : team.rows)
          if (row.collective == point.collective && row.bytes == length_class(point.bytes))
            return true;
  return false;
}

void Tuner::show_progress(const bench::WayTimer& timer, const Point& point) const {
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

void Tuner::tune(bench::WayTimer& timer, const Point& point) {
  const Question question{point.collective, point.bytes};
  const std::vector<Choice> ways = ways_for(timer, question);
  const auto timed = kVerb.value(timer.time(point.collective, point.bytes, ways, options_.seconds));
  for (const bench::TimedWays& one : timed) {
    const bench::Sight& sight = timer.sights()[one.sight];
    const std::vector<Candidate>& ranked = sight.chooser->ranked(question);
    const auto place = std::find(ways.begin(), ways.end(), ranked.front().choice);
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
    ++rows_;
  }
}

bool Tuner::run(const std::vector<Point>& points, const std::vector<Locality>& places,
                bool are_threads) {
  bench::WayTimer timer(places, are_threads);
  for (const Point& point : points) {
    // relaxed: a wish, which orders nothing. Partner: `stop`.
    if (is_stopped.load(std::memory_order_relaxed)) return false;
    const auto begin = std::chrono::steady_clock::now();
    if (!timer.look())
      kVerb.fail("the ranks cannot see each other's signals: is the machine busy?");
    if (options_.is_again || !is_known(timer, point)) {
      show_progress(timer, point);
      tune(timer, point);
      kVerb.value(write_text_file(path_, to_json(tuning_)));
      ++timed_;
      spent_ += std::chrono::steady_clock::now() - begin;
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
  for (std::size_t i = 0; i < team.signals.size(); ++i)
    std::printf("%s %.0f ns (%s)", i > 0 ? "," : "", team.signals[i], team.levels[i].c_str());
  std::printf("\n%-21s %9s  %10s %10s\n", "", "", "predicted", "measured");
  for (const TunedRow& row : team.rows) {
    const double ratio =
        row.predicted_ns > 0 && row.measured_ns > 0 ? row.measured_ns / row.predicted_ns : 1;
    std::printf("%-21s %9s  %10s %10s %s  %s\n", to_text(row.collective),
                bytes_text(row.bytes).c_str(),
                row.predicted_ns > 0 ? duration_text(row.predicted_ns).c_str() : "-",
                row.measured_ns > 0 ? duration_text(row.measured_ns).c_str() : "-",
                ratio > kApart || kApart * ratio < 1 ? "*" : " ", text_of(row).c_str());
  }
}

void show() {
  const std::string name = tuning_name(measure::this_processor());
  if (!tuning_in_force()) {
    std::cout << "No tuning for this machine: calls are chosen by predictions. Looked for\n";
    for (const std::string& path : tuning_paths(name)) std::cout << "  " << path << '\n';
    return;
  }
  std::cout << tuning_in_force()->path << "\n* predicted and measured are more than 20 % apart\n";
  std::fflush(stdout);
  for (const TunedTeam& team : tuning_in_force()->tuning.teams) print(team);
  std::fflush(stdout);
}

/// What is there of this machine stays, as far as nothing new is found out.
Tuning tuning_at(const std::string& path) {
  Tuning tuning;
  tuning.processor = measure::this_processor();
  if (!can_write_text_file(path)) make_folders_for(path);
  kVerb.value(can_write_text_file(path));
  const Result<std::string> text = read_text_file(path, kMostTuningBytes);
  if (!text) return tuning;
  Tuning old = kVerb.value(tuning_from_text(text.value(), path));
  if (old.processor != tuning.processor)
    kVerb.refuse(path + " is of another machine: \"" + old.processor + "\"; name another file");
  return old;
}

void run(const Options& options) {
  if (options.shows) return show();
  std::string path = options.path;
  if (path.empty())
    path = user_file(UserFolder::config, "tunings/" + tuning_name(measure::this_processor()));
  if (path.empty()) kVerb.refuse("neither HOME nor XDG_CONFIG_HOME is set: name a file with -o");
  const Machine machine = kVerb.value(read_this_machine());
  const std::vector<measure::CoreAt> cores = kVerb.value(usable_cores(machine));
  if (cores.size() < 2) kVerb.fail("this process may use one core, and a team needs two");
  const std::vector<Point> points = points_of(options);
  const std::vector<Rank> teams = ranks_of(options, cores.size());
  Tuning tuning = tuning_at(path);
  Tuner tuner(tuning, path, options);
  const bool both = options.form == "both";
  tuner.expect(points.size() * teams.size() * (both ? 2 : 1));
  std::signal(SIGINT, stop);
  std::signal(SIGTERM, stop);
  bool is_whole = true;
  for (const Rank ranks : teams) {
    std::vector<Locality> places;
    for (Rank rank = 0; rank < ranks; ++rank) places.push_back(cores[rank].place);
    for (const bool are_threads : {false, true})
      if (both || are_threads == (options.form == "threads"))
        is_whole = is_whole && tuner.run(points, places, are_threads);
  }
  if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\r%70s\r", "");
  std::cout << path << ": " << tuner.rows() << " rows timed\n";
  if (!is_whole) std::cout << "Interrupted: the same command goes on from here.\n";
}

}  // namespace

void add_tune_verb(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("tune", "Time ways to make calls here, and remember the best");
  verb->footer(
      "Examples:\n"
      "  terrace tune                        some minutes for two ranks; teams here use it from\n"
      "                                      then on\n"
      "  terrace tune --collectives allreduce,bcast --ranks 2 --form processes\n"
      "  terrace tune --show                 what is in force, predicted beside measured\n"
      "Nothing else should run meanwhile. Interrupted, the same command goes on where it was.");
  verb->add_option("--collectives", options->collectives, "allreduce,bcast,... [all]")
      ->delimiter(',');
  verb->add_option("--bytes", options->bytes, "8,64KiB,... [all powers of two up to 4MiB]")
      ->delimiter(',');
  verb->add_option("--ranks", options->ranks, "2,4,... [2 and by twos up to all cores]");
  verb->add_option("--form", options->form, "threads, processes or both [both]")
      ->check(CLI::IsMember({"threads", "processes", "both"}));
  verb->add_option("--seconds", options->seconds, "for each collective and size [0.3]")
      ->check(CLI::Range(0.01, 60.0));
  verb->add_option("-o,--output", options->path,
                   "a file [of this kind of machine, in ~/.config/terrace/tunings]");
  verb->add_flag("--again", options->is_again, "also what is in the file already");
  verb->add_flag("--show", options->shows, "print what is in force, and time nothing");
  verb->callback([options] { run(*options); });
}
