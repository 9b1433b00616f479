// SPDX-License-Identifier: BSD-3-Clause
// `terrace simulate`: plays an algorithm for all ranks of a machine that need not be there.
#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>

#include "asked_call.hpp"
#include "base/bytes.hpp"
#include "placing.hpp"
#include "plan/lower.hpp"
#include "refusals.hpp"
#include "simulate/simulate.hpp"
#include "team/memory.hpp"
#include "verbs.hpp"

namespace {

using nlohmann::ordered_json;
using namespace terrace;

constexpr Verb kVerb{"terrace simulate"};
constexpr Rank kMostRanks = 1024;  // as `terrace plan` has them
constexpr std::uint32_t kMostCalls = 100'000;
constexpr double kMostSkew = 1e9;  // ns
constexpr double kMostJitter = 1000;

struct Options {
  std::shared_ptr<AskedCall> call;
  std::shared_ptr<AskedWay> way;
  std::string ring = "2", lowering, calls, seed = "0", skew = "0", jitter = "0", timeline;
  bool in_a_row = false, as_json = false;
};

/// What is simulated, all of it.
struct Game {
  std::unique_ptr<Asked> asked;
  Plan plan;
  std::vector<Part> parts;
  simulate::Setting setting;
};

/// A number, not negative, that leaves times finite.
double share_of(const std::string& text, const std::string& option, double most) {
  double number = -1;
  const char* const end = text.data() + text.size();
  const auto [stopped, failure] = std::from_chars(text.data(), end, number);
  if (failure == std::errc() && stopped == end && number >= 0 && number <= most) return number;
  kVerb.refuse(option + " '" + text + "' given, expected a number from 0 to " +
               std::to_string(std::lround(most)));
}

/// As the library chooses: lines wherever the value fits one.
Lowering lowering_of(const Options& options, const Algorithm& row, std::size_t bytes) {
  if (options.lowering == "lines") return Lowering::lines;
  if (options.lowering == "owner") return Lowering::owner;
  if (!options.lowering.empty())
    kVerb.refuse("--lower '" + options.lowering + "' given, expected lines or owner");
  return row.fits_lines && bytes <= kPayloadBytes ? Lowering::lines : Lowering::owner;
}

simulate::Setting setting_of(const Options& options, const Predicted& call) {
  simulate::Setting setting;
  setting.element_bytes = call.bytes % 8 == 0 ? 8 : 1;
  setting.element_count = call.bytes / setting.element_bytes;
  const bool is_papers = call.account == model::Account::paper;
  setting.mode = is_papers ? simulate::Mode::paper : simulate::Mode::real;
  setting.is_direct = call.is_direct;
  setting.strip_bytes = strip_of(*options.way, kVerb).value_or(setting.strip_bytes);
  setting.streams = options.way->streams;
  // The ring of lines has been round once, and caches are what the calls before have made them.
  const std::string calls = !options.calls.empty() ? options.calls : is_papers ? "1" : "20";
  setting.calls = number_of(calls, "--calls", 1, kMostCalls);
  setting.starts_together = !options.in_a_row;
  setting.seed = number_of(options.seed, "--seed", 0, ~0u);
  setting.skew = share_of(options.skew, "--skew", kMostSkew);
  setting.jitter = share_of(options.jitter, "--jitter", kMostJitter);
  setting.has_timeline = !options.timeline.empty();
  return setting;
}

Game game_of(const Options& options) {
  Game game;
  game.asked = asked(*options.call, 1, kMostRanks, kVerb);
  const Asked& asked = *game.asked;
  game.setting = setting_of(options, asked.call);
  const std::uint32_t radix = radix_of(*options.way).value_or(8);
  const Plan plan = asked.row->write({asked.scene->hierarchy, asked.call.root, radix});
  game.plan = kVerb.value(lower(plan, lowering_of(options, *asked.row, asked.call.bytes),
                                number_of(options.ring, "--ring", 1, 1024)));
  game.parts = parts_of(game.plan);
  return game;
}

ordered_json json_of(const Game& game, const Options& options, const simulate::Outcome& outcome,
                     double seconds) {
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
  return {{"algorithm", game.asked->row->name},
          {"bytes", game.setting.element_count * game.setting.element_bytes},
          {"machine", game.asked->machine.name},
          {"ranks", game.asked->scene->places.size()},
          {"mode", options.call->mode},
          {"lowering", game.plan.lowering == Lowering::lines ? "lines" : "owner"},
          {"seed", game.setting.seed},
          {"mean_ns", outcome.calls.back().mean},
          {"max_ns", outcome.calls.back().most},
          {"calls", std::move(calls)},
          {"bytes_from", std::move(moved)},
          {"signal_lines", outcome.signal_lines},
          {"nodes", outcome.nodes},
          {"nodes_played", outcome.nodes_played},
          {"messages", outcome.messages},
          {"steps", outcome.steps},
          {"events", outcome.events},
          {"seconds", seconds},
          {"memory_bytes", outcome.memory_bytes}};
}

void print(const Game& game, const simulate::Outcome& outcome, double seconds) {
  const simulate::CallTimes& last = outcome.calls.back();
  const auto us = [](double ns) { return ns / 1000; };
  std::cout << std::fixed << std::setprecision(4) << game.asked->row->name << ", "
            << bytes_text(game.asked->call.bytes) << ", " << game.asked->scene->places.size()
            << " ranks on " << game.asked->machine.title << '\n'
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
              << " nodes, of which " << outcome.nodes_played << " were played";
  std::cout << "\nsimulated " << outcome.steps << " steps in " << std::setprecision(3) << seconds
            << " s, with " << outcome.memory_bytes / 1024 << " KiB\n";
}

void write_timeline(const Game& game, const Options& options, simulate::Outcome outcome) {
  Timeline timeline;
  timeline.title = std::string(game.asked->row->name) + " of " +
                   bytes_text(game.asked->call.bytes) + ", " +
                   std::to_string(game.asked->scene->places.size()) + " ranks on " +
                   game.asked->machine.name + ", simulated";
  timeline.ranks = static_cast<Rank>(game.asked->scene->places.size());
  timeline.events = std::move(outcome.events_of_ranks);
  std::ofstream file(options.timeline);
  file << to_json(timeline);
  if (!file.flush()) kVerb.fail("cannot write '" + options.timeline + "'; give another --timeline");
}

void run(const Options& options) {
  const Game game = game_of(options);
  const auto start = std::chrono::steady_clock::now();
  const auto outcome =
      simulate::simulate(game.asked->machine, game.asked->scene->places, game.parts, game.setting);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (!outcome) kVerb.fail(outcome.error().sentence);
  if (!options.timeline.empty()) write_timeline(game, options, outcome.value());
  if (options.as_json)
    std::cout << json_of(game, options, outcome.value(), took.count()).dump(2) << '\n';
  else
    print(game, outcome.value(), took.count());
}

}  // namespace

void add_simulate_verb(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("simulate", "Play an algorithm on a machine model");
  verb->footer(
      "Examples:\n"
      "  terrace simulate allreduce.tree 8 --machine rome-2x64 --ranks 128\n"
      "  terrace simulate allreduce.tiled 1MiB --machine grace-4x72 --ranks 288 --stream\n"
      "  terrace simulate allreduce.tree 64 --machine westmere-x5650 --ranks 12 --radix 2\n"
      "      --lower owner --mode paper                 306.7 ns, as the paper counts\n"
      "  terrace simulate bcast.tree 64KiB --machine genoa-2x96 --ranks 192 --timeline t.json");
  options->call = add_asked_call(*verb, Subject::algorithm);
  options->way = add_asked_way(*verb);
  verb->add_option("--ring", options->ring, "slots of scratch that strips go around [2]");
  verb->add_option("--lower", options->lowering, "lines or owner [lines where a value fits one]");
  verb->add_option("--calls", options->calls,
                   "one after the other; the last counts [20; paper: 1]");
  verb->add_flag("--in-a-row", options->in_a_row, "ranks do not wait for each other between calls");
  verb->add_option("--seed", options->seed, "of skew and jitter [0]");
  verb->add_option("--skew", options->skew, "ns within which ranks begin [0]");
  verb->add_option("--jitter", options->jitter, "a step takes up to that share longer [0]");
  verb->add_option("--timeline", options->timeline, "write what each rank does when, as JSON");
  verb->add_flag("--json", options->as_json, "print JSON");
  verb->callback([options] { run(*options); });
}
