// SPDX-License-Identifier: BSD-3-Clause
// `terrace simulate`: simulates an algorithm for all ranks of a machine that need not be at hand.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/bytes.hpp"
#include "base/ticks.hpp"
#include "call_options.hpp"
#include "graph_call.hpp"
#include "placement_options.hpp"
#include "refusals.hpp"
#include "simulate/simulate.hpp"
#include "simulate/symmetric_nodes.hpp"
#include "subcommands.hpp"
#include "written_plan.hpp"

namespace simulate_verb {
namespace {

using nlohmann::ordered_json;
using namespace terrace;

constexpr Verb kVerb{"terrace simulate"};
constexpr Rank kMostRanks = 1024;  // as `terrace plan` has them
constexpr Rank kMostSymmetric = 1u << 31;
/// No rows of a table, as two nodes stand for all.
constexpr std::pair<const char*, simulate::SymmetricExchange> kSymmetric[] = {
    {"allreduce.symmetric", simulate::SymmetricExchange::leaders},
    {"allreduce.symmetric_lanes", simulate::SymmetricExchange::lanes},
    {"allreduce.symmetric_flat", simulate::SymmetricExchange::flat}};
constexpr std::uint32_t kMostCalls = 100'000;
constexpr double kMostSkew = 1e9;  // ns
constexpr double kMostJitter = 1000;

struct Options {
  std::shared_ptr<CallOptions> call;
  std::shared_ptr<RunOptions> way;
  std::string ring = "2", calls, seed = "0", skew = "0", jitter = "0", timeline;
  bool in_a_row = false, must_fold = false, as_json = false;
};

/// All parts of a simulation.
struct Game {
  std::string name;  ///< of the algorithm or of the user's plan
  Rank ranks = 0;
  std::uint32_t symmetric = 0;  ///< nodes for which the two stand that have parts; 0: all have
  std::unique_ptr<Asked> asked;
  Draft draft;
  simulate::SimulationSetting setting;
};

std::optional<simulate::SymmetricExchange> symmetric_exchange(const std::string& algorithm) {
  for (const auto& [name, by] : kSymmetric)
    if (algorithm == name) return by;
  return std::nullopt;
}

/// A number, not negative, that leaves times finite.
double share_of(const std::string& text, const std::string& option, double most) {
  double number = -1;
  const char* const end = text.data() + text.size();
  const auto [stopped, failure] = std::from_chars(text.data(), end, number);
  if (failure == std::errc() && stopped == end && number >= 0 && number <= most) return number;
  kVerb.refuse(option + " '" + text + "' given, expected a number from 0 to " +
               std::to_string(std::lround(most)));
}

simulate::SimulationSetting setting_of(const Options& options, const Asked& asked) {
  simulate::SimulationSetting setting = terrace::setting_of(asked, *options.way, kVerb);
  if (!options.calls.empty()) setting.calls = number_of(options.calls, "--calls", 1, kMostCalls);
  setting.starts_together = !options.in_a_row;
  setting.seed = number_of(options.seed, "--seed", 0, ~0u);
  setting.skew = share_of(options.skew, "--skew", kMostSkew);
  setting.jitter = share_of(options.jitter, "--jitter", kMostJitter);
  setting.must_fold = options.must_fold;
  setting.has_timeline = !options.timeline.empty();
  return setting;
}

void ask(const Options& options, Game& game) {
  const std::string& ranks = options.call->ranks;
  if (ranks.size() > 4 && ranks.find_first_not_of("0123456789") == std::string::npos)
    kVerb.refuse("--ranks " + ranks + " given: plans are written for up to " +
                 std::to_string(kMostRanks) + " ranks; " + kSymmetric[0].first +
                 " is simulated for more, on nodes that behave alike");
  game.asked = asked(*options.call, 1, kMostRanks, kVerb, options.way.get());
  if (game.asked->is_on_graph && options.ring != "2") refuse_with_graph("--ring", kVerb);
  game.ranks = static_cast<Rank>(game.asked->platform->places.size());
  if (game.asked->call.own) game.name = game.asked->call.own->name;
}

/// Nodes and ranks that do alike.
void check_symmetric(const Options& options, simulate::SymmetricExchange by, Game& game) {
  const CallOptions& call = *options.call;
  game.ranks = number_of(call.ranks, "--ranks", 2, kMostSymmetric);
  if (call.nodes.empty())
    kVerb.refuse(game.name + " needs --nodes N, the number of nodes of the ranks");
  game.symmetric = number_of(call.nodes, "--nodes", 2, game.ranks);
  if (!std::has_single_bit(game.symmetric))
    kVerb.refuse("--nodes " + call.nodes + " given: in " + game.name +
                 " every node has a partner in each round, so their number must be a power of two");
  if (game.ranks % game.symmetric != 0)
    kVerb.refuse(call.ranks + " ranks on " + call.nodes +
                 " nodes differ: some nodes would have more of them");
  const Rank each = game.ranks / game.symmetric;
  if (by == simulate::SymmetricExchange::flat && !std::has_single_bit(each))
    kVerb.refuse(std::to_string(each) + " ranks on a node: in " + game.name +
                 " every rank has a partner in each round, so their number must be a power of two");
  if (options.skew != "0" || options.jitter != "0")
    kVerb.refuse("--skew and --jitter make nodes differ, and " + game.name + " plays one for all");
}

/// All messages cross the outermost level: which nodes are near each other is not known.
void ask_for_symmetric(const Options& options, simulate::SymmetricExchange by, Game& game) {
  check_symmetric(options, by, game);
  const Rank each = game.ranks / game.symmetric;
  CallOptions two = *options.call;
  two.what = "allreduce.leaders";  // what it is among the algorithms
  two.ranks = std::to_string(std::uint64_t{each} * 2);
  two.nodes = "2";
  game.asked = asked(two, 2, kMostRanks, kVerb, options.way.get());
  auto& networks = game.asked->machine.networks;
  if (networks.size() > 1) networks = {networks.back()};
}

Choice choice_of(const Options& options, const Asked& asked) {
  Choice choice;
  if (asked.row != nullptr) choice.algorithm = asked.row->name;
  choice.radix = radix_of(*options.way).value_or(choice.radix);
  choice.depth = depth_of(*options.way).value_or(choice.depth);
  choice.ring = number_of(options.ring, "--ring", 1, 1024);
  return choice;
}

Game game_of(const Options& options) {
  Game game;
  game.name = options.call->what;
  const auto by = symmetric_exchange(game.name);
  by ? ask_for_symmetric(options, *by, game) : ask(options, game);
  const Asked& asked = *game.asked;
  game.setting = setting_of(options, asked);
  const Choice choice = choice_of(options, asked);
  Drafts drafts(*asked.platform);
  if (by) {
    Predicted call = asked.call;
    call.own = std::make_shared<const Plan>(simulate::exchange_of_symmetric_nodes(
        *by, game.ranks / game.symmetric,
        static_cast<std::uint32_t>(std::countr_zero(game.symmetric))));
    game.draft = kVerb.value(drafts.find(call, choice));
  } else {
    game.draft = draft_of(*options.call, asked, choice, drafts, kVerb);
  }
  return game;
}

/// Returns the peak memory of this program so far.
std::size_t peak_bytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<std::size_t>(used.ru_maxrss) * 1024;
}

ordered_json json_of(const Game& game, const Options& options,
                     const simulate::SimulationOutcome& outcome, double seconds) {
  ordered_json calls = ordered_json::array();
  for (const simulate::CallTimes& call : outcome.calls)
    calls.push_back({{"begin_ns", call.first_begin},
                     {"end_ns", call.last_end},
                     {"mean_ns", call.mean},
                     {"max_ns", call.most}});
  ordered_json moved;
  moved["own caches"] = outcome.bytes_from[0];
  moved["last cache"] = outcome.bytes_from[1];
  for (std::size_t i = 0; i < game.asked->machine.distances.size(); ++i)
    moved[game.asked->machine.distances[i].name] = outcome.bytes_from[i + 2];
  moved["memory"] = outcome.bytes_from.back();
  return {
      {"algorithm", game.name},
      {"bytes", game.setting.element_count * game.setting.element_bytes},
      {"machine", game.asked->machine.name},
      {"ranks", game.ranks},
      {"mode", options.call->mode},
      {"lowering", name_of(game.draft.lowered->lowering)},
      {"seed", game.setting.seed},
      {"mean_ns", outcome.calls.back().mean},
      {"max_ns", outcome.calls.back().most},
      {"calls", std::move(calls)},
      {"bytes_from", std::move(moved)},
      {"signal_lines", outcome.signal_lines},
      {"nodes", outcome.nodes},
      {"nodes_played", outcome.nodes_played},
      {"why_all", outcome.why_all},
      {"messages", outcome.messages},
      {"steps", outcome.steps},
      {"events", outcome.events},
      {"seconds", seconds},
      {"memory_bytes", outcome.memory_bytes},
      {"peak_bytes", peak_bytes()},
      {"peak_bytes_per_rank", static_cast<double>(peak_bytes()) / static_cast<double>(game.ranks)}};
}

void print(const Game& game, const simulate::SimulationOutcome& outcome, double seconds) {
  const simulate::CallTimes& last = outcome.calls.back();
  const auto us = [](double ns) { return ns / 1000; };
  std::cout << std::fixed << std::setprecision(4) << game.name << ", "
            << bytes_text(game.asked->call.bytes) << ", " << game.ranks << " ranks on "
            << game.asked->machine.title << '\n'
            << "a call takes " << us(last.most) << " us on the slowest rank, " << us(last.mean)
            << " us on average";
  if (outcome.calls.size() > 1) std::cout << " (call " << outcome.calls.size() << ")";
  std::cout << "\nbytes of all calls and ranks: " << std::setprecision(0) << outcome.bytes_from[0]
            << " in own caches, " << outcome.bytes_from[1] << " in last caches";
  for (std::size_t i = 0; i < game.asked->machine.distances.size(); ++i)
    if (outcome.bytes_from[i + 2] > 0)
      std::cout << ", " << outcome.bytes_from[i + 2] << " at distance "
                << game.asked->machine.distances[i].name;
  std::cout << ", " << outcome.bytes_from.back() << " of memory; " << outcome.signal_lines
            << " lines of signals";
  if (outcome.nodes > 1)
    std::cout << "; " << outcome.messages << " messages between " << outcome.nodes
              << " nodes, of which " << outcome.nodes_played
              << (outcome.nodes_played == 1 ? " was" : " were") << " played";
  if (!outcome.why_all.empty()) std::cout << " (" << outcome.why_all << ")";
  std::cout << "\nsimulated " << outcome.steps << " steps in " << std::setprecision(3) << seconds
            << " s, with " << outcome.memory_bytes / 1024 << " KiB; the program took "
            << std::setprecision(1) << static_cast<double>(peak_bytes()) / (1 << 20)
            << " MiB at most, " << static_cast<double>(peak_bytes()) / game.ranks
            << " bytes a rank\n";
}

void write_timeline(const Game& game, const Options& options,
                    const simulate::SimulationOutcome& outcome) {
  Timeline timeline;
  timeline.title = game.name + " of " + bytes_text(game.asked->call.bytes) + ", " +
                   std::to_string(game.ranks) + " ranks on " + game.asked->machine.name +
                   ", simulated";
  timeline.ranks = static_cast<Rank>(game.asked->platform->places.size());
  timeline.events = outcome.events_of_ranks;
  std::ofstream file(options.timeline);
  file << to_json(timeline);
  if (!file.flush()) kVerb.fail("cannot write '" + options.timeline + "'; give another --timeline");
}

void run(const Options& options) {
  const Game game = game_of(options);
  const auto start = KernelClock::now();
  auto played = simulate::simulate(game.asked->machine, game.asked->platform->places,
                                   *game.draft.parts, game.setting);
  const std::chrono::duration<double> took = KernelClock::now() - start;
  if (!played) kVerb.fail(played.error().sentence);
  simulate::SimulationOutcome outcome = std::move(played).value();
  if (game.symmetric != 0) outcome = standing_for(game.symmetric, std::move(outcome));
  if (!options.timeline.empty()) write_timeline(game, options, outcome);
  if (options.as_json)
    std::cout << json_of(game, options, outcome, took.count()).dump(2) << '\n';
  else
    print(game, outcome, took.count());
}

}  // namespace
}  // namespace simulate_verb

void add_simulate_subcommand(CLI::App& app) {
  using namespace simulate_verb;
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("simulate", "Simulate an algorithm on a machine model");
  verb->footer(
      "Examples:\n"
      "  terrace simulate allreduce.tree 8 --machine rome-2x64 --ranks 128\n"
      "  terrace simulate allreduce.tiled 1MiB --machine grace-4x72 --ranks 288 --stream\n"
      "  terrace simulate allreduce.tree 64 --machine westmere-x5650 --ranks 12 --radix 2\n"
      "      --lower owner --mode paper                 306.7 ns, as the paper counts\n"
      "  terrace simulate my.plan 8 --machine rome-2x64        your own plan, proved first\n"
      "  terrace simulate neighbour_alltoall.pull 64KiB --machine rome-2x64 --graph torus:8x8\n"
      "  terrace simulate bcast.tree 64KiB --machine genoa-2x96 --ranks 192 --timeline t.json\n"
      "  terrace simulate allreduce.symmetric 8 --machine ntw24e5 --ranks 12582912 --nodes 524288\n"
      "allreduce.symmetric is for jobs of very many nodes: each adds up its ranks' values at its "
      "first\n"
      "rank, first ranks exchange sums in log2(nodes) rounds, and the others read the total. In\n"
      "allreduce.symmetric_lanes each rank adds up and exchanges a tile; in "
      "allreduce.symmetric_flat\n"
      "each exchanges all of its vector, as if nodes were not known. All nodes behave alike, so "
      "one\n"
      "is simulated for all.\n"
      "`terrace cost` may say half as much or twice as much: here transfers share links over\n"
      "time, there a rank's own work overlaps with lines on their way to it. Believe this for\n"
      "many ranks, that for few (docs/design/costs.md).");
  options->call = add_call_options(*verb, Subject::algorithm);
  add_graph_option(*verb, options->call->graph, kMostRanks);
  options->way = add_run_options(*verb);
  verb->add_option("--ring", options->ring, "slots of scratch that strips go around [2]");
  verb->add_option("--calls", options->calls,
                   "number of calls in a row; the last one counts [20; paper: 1]");
  verb->add_flag("--in-a-row", options->in_a_row, "ranks do not wait for each other between calls");
  verb->add_option("--seed", options->seed, "seed of skew and jitter [0]");
  verb->add_option("--skew", options->skew, "ranks begin within this many ns [0]");
  verb->add_option("--jitter", options->jitter, "each step takes up to this share longer [0]");
  verb->add_option("--timeline", options->timeline, "write a timeline of all ranks, as JSON");
  verb->add_flag("--fold", options->must_fold, "refuse if no two nodes behave alike, and say why");
  verb->add_flag("--json", options->as_json, "print JSON");
  verb->callback([options] { run(*options); });
}
