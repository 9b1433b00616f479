// SPDX-License-Identifier: BSD-3-Clause
// Long random sequences of mixed calls through the real executor, until time is up. A seed decides
// all: ranks, machine shape, script, delays, and whether a seeded scheduler on one thread plays it
// or real threads do. A wrong result, an overrun or a hang names the seed and ends with status 1.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <string_view>
#include <thread>

#include "machines/shapes.hpp"
#include "unit/execute/sequences.hpp"

namespace terrace {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWrongArgument = 2;
constexpr auto kHangs = std::chrono::minutes(10);

struct Options {
  double minutes = 0;  ///< 0: `count` seeds
  std::uint64_t first = 1, count = 1;
  bool must_find_fault = false;  ///< tampered plans: finding nothing is the failure
};

struct Totals {
  std::uint64_t seeds = 0, calls = 0, threaded_calls = 0;
};

/// What a seed stands for.
struct Setting {
  Rank ranks = 2;
  std::size_t shape = 0, calls = 0, most_elements = 0, scratch_bytes = 0;
  std::uint64_t first_call = 0;
  bool on_threads = false;
};

Setting setting_of(std::uint64_t seed) {
  std::mt19937_64 random(seed * 2 + 1);
  const Rank kRanks[] = {2, 3, 4, 8, 2, 3, 4, 5, 6, 7};
  Setting setting;
  setting.on_threads = random() % 2 == 0;
  setting.ranks = kRanks[random() % (setting.on_threads ? 4 : std::size(kRanks))];
  setting.shape = random();
  setting.most_elements = random() % 4 == 0 ? 3000 : 300;
  setting.calls = (setting.on_threads ? 8000 : 3000) / (setting.most_elements == 3000 ? 8 : 1);
  setting.scratch_bytes = 32 * kLinePairBytes << random() % 4;
  // Every fourth sequence crosses the wrap of the 40-bit call numbers.
  setting.first_call = random() % 4 == 0 ? (std::uint64_t{1} << 40) - setting.calls / 2 : 0;
  return setting;
}

std::string text_of(const Setting& setting, const std::string& shape) {
  return std::to_string(setting.ranks) + " ranks " +
         (setting.on_threads ? "on threads" : "interleaved") + ", " + shape + ", " +
         std::to_string(setting.calls) + " calls of up to " +
         std::to_string(setting.most_elements) + " elements";
}

/// Without their readers' contracts plans overwrite what others still read.
void tamper(sequences::Plans& plans) {
  for (sequences::Plans::Row& row : plans.rows())
    for (RankProgram& program : row.programs) {
      program.contract.scratch_readers.clear();
      for (auto& readers : program.contract.line_readers) readers.clear();
    }
}

/// Plans of a shape, built once.
const sequences::Plans& plans_of(const Hierarchy& hierarchy, const std::string& name,
                                 bool is_tampered) {
  static std::map<std::string, sequences::Plans> known;
  const std::string key = std::to_string(hierarchy.rank_count()) + " " + name;
  auto found = known.find(key);
  if (found == known.end()) {
    found = known.emplace(key, sequences::Plans(hierarchy)).first;
    if (is_tampered) tamper(found->second);
  }
  return found->second;
}

/// One rank's thread, with random pauses.
void play_rank(sequences::Player& player, Rank ranks, std::uint64_t seed, std::string& complaint) {
  std::mt19937_64 random(seed);
  WaitEnvironment environment;
  const std::uint32_t pus = std::max(1u, std::thread::hardware_concurrency());
  while (!player.is_finished()) {
    if (random() % 64 == 0) std::this_thread::yield();
    if (random() % 512 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
    player.begin();
    if (complete(*player.run(), WaitPolicy::for_ranks(ranks, pus), environment) != Progress::done) {
      complaint = "overrun in " + player.run()->program().name;
      std::cout << complaint << std::endl;  // the others may now wait until the watch ends it all
      return;
    }
    player.end();
    if (!player.complaint().empty()) complaint = player.complaint();
  }
}

std::string play_threads(sequences::Team& team, Rank ranks, std::uint64_t seed) {
  std::vector<std::string> complaints(ranks);
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < ranks; ++rank)
    threads.emplace_back(play_rank, std::ref(*team.players[rank]), ranks, seed * 100 + rank,
                         std::ref(complaints[rank]));
  for (std::thread& thread : threads) thread.join();
  for (const std::string& complaint : complaints)
    if (!complaint.empty()) return complaint;
  return "";
}

/// Ends the program, with the seed, if a sequence does not end.
class Watch {
 public:
  explicit Watch(std::string what) : what_(std::move(what)), thread_([this] { look(); }) {}
  ~Watch() {
    // release: pairs with the acquire load in look().
    is_over_.store(true, std::memory_order_release);
    thread_.join();
  }

 private:
  void look() {
    const auto start = Clock::now();
    while (!is_over_.load(std::memory_order_acquire)) {  // pairs with the store in ~Watch
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (Clock::now() - start < kHangs) continue;
      std::cout << "HANGS: " << what_ << std::endl;
      std::_Exit(1);
    }
  }

  std::string what_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

/// Plays what the seed stands for. Returns the complaint, "" if all was right.
std::string play(std::uint64_t seed, const Options& options, Totals& totals) {
  Setting setting = setting_of(seed);
  // Ranks on threads that run tampered plans could wait for ever.
  if (options.must_find_fault) setting.on_threads = false;
  const auto shapes = shapes::hierarchies(setting.ranks);
  const auto& [name, hierarchy] = shapes[setting.shape % shapes.size()];
  const sequences::Plans& plans = plans_of(hierarchy, name, options.must_find_fault);
  const auto script =
      sequences::script(plans, setting.calls, seed, setting.most_elements, setting.scratch_bytes);
  sequences::Team team(setting.ranks, setting.scratch_bytes, script, setting.first_call);
  const std::string what = "seed " + std::to_string(seed) + ": " + text_of(setting, name);
  const Watch watch(what);
  const std::string complaint = setting.on_threads ? play_threads(team, setting.ranks, seed)
                                                   : sequences::play_interleaved(team, seed);
  ++totals.seeds;
  totals.calls += setting.calls;
  if (setting.on_threads) totals.threaded_calls += setting.calls;
  return complaint.empty() ? "" : what + ": " + complaint;
}

void print(const Totals& totals, std::uint64_t first, double seconds) {
  std::cout << "seeds " << first << " to " << first + totals.seeds - 1 << ": " << totals.calls
            << " calls by every rank, " << totals.threaded_calls << " of them on threads, in "
            << static_cast<std::uint64_t>(seconds) << " s: all right" << std::endl;
}

int sweep(const Options& options) {
  Totals totals;
  const auto start = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  double next_sign = 20;
  for (std::uint64_t seed = options.first;; ++seed) {
    const bool is_over =
        options.minutes > 0 ? seconds() >= 60 * options.minutes : totals.seeds >= options.count;
    if (is_over) break;
    if (const std::string complaint = play(seed, options, totals); !complaint.empty()) {
      std::cout << "WRONG: " << complaint << "\nreplay: --seed " << seed << std::endl;
      return options.must_find_fault ? 0 : 1;
    }
    if (seconds() < next_sign) continue;
    print(totals, options.first, seconds());
    next_sign = seconds() + 20;
  }
  print(totals, options.first, seconds());
  return options.must_find_fault ? 1 : 0;
}

template <class Number>
bool read(std::string_view text, Number& number) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc() && end == text.data() + text.size() && number > 0;
}

std::optional<Options> options_from(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const std::string_view value = i + 1 < count ? words[i + 1] : "";
    if (word == "--must-find-fault") {
      options.must_find_fault = true;
      continue;
    }
    const bool is_known = word == "--minutes"                     ? read(value, options.minutes)
                          : word == "--count"                     ? read(value, options.count)
                          : word == "--first" || word == "--seed" ? read(value, options.first)
                                                                  : false;
    if (!is_known) return std::nullopt;
    ++i;
  }
  return options;
}

}  // namespace
}  // namespace terrace

int main(int count, char** words) {
  const auto options = terrace::options_from(count, words);
  if (options) return terrace::sweep(*options);
  std::cerr << "sweep_sequences: expected --minutes M, --first SEED, --count N, --seed SEED (that "
               "one only), --must-find-fault; numbers above 0\n";
  return terrace::kWrongArgument;
}
