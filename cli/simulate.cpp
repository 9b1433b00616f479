// SPDX-License-Identifier: BSD-3-Clause
// `terrace simulate`: plays an algorithm for all ranks of a machine that need not be there.
#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/bytes.hpp"
#include "choose/choose.hpp"
#include "collectives/collectives.hpp"
#include "model/read_machine_model.hpp"
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

struct Options {
  std::string algorithm, size, machine, ranks, root = "0", radix = "8", ring = "2", strip, lowering;
  std::string mode = "real", calls, seed = "0", timeline, nodes;
  double skew = 0, jitter = 0;
  bool is_bounced = false, streams = false, in_a_row = false, as_json = false;
};

/// What is simulated, all of it.
struct Scene {
  const Algorithm* row = nullptr;
  model::MachineModel machine;
  std::vector<Locality> localities;
  Plan plan;
  std::vector<Part> parts;
  simulate::Setting setting;
};

const Algorithm& algorithm_of(const std::string& name) {
  const Algorithm* row = find_algorithm(name);
  if (row == nullptr) kVerb.refuse("'" + name + "' is no algorithm; see terrace plan --list");
  return *row;
}

simulate::Mode mode_of(const std::string& text) {
  if (text == "paper") return simulate::Mode::paper;
  if (text == "real") return simulate::Mode::real;
  kVerb.refuse("--mode '" + text + "' given, expected paper or real");
}

/// As the library chooses: lines wherever the value fits one.
Lowering lowering_of(const Options& options, const Algorithm& row, std::size_t bytes) {
  if (options.lowering == "lines") return Lowering::lines;
  if (options.lowering == "owner") return Lowering::owner;
  if (!options.lowering.empty())
    kVerb.refuse("--lower '" + options.lowering + "' given, expected lines or owner");
  return row.fits_lines && bytes <= kPayloadBytes ? Lowering::lines : Lowering::owner;
}

simulate::Setting setting_of(const Options& options) {
  simulate::Setting setting;
  const std::size_t bytes = kVerb.bytes(options.size);
  setting.element_bytes = bytes % 8 == 0 ? 8 : 1;
  setting.element_count = bytes / setting.element_bytes;
  setting.mode = mode_of(options.mode);
  setting.is_direct = !options.is_bounced;
  if (!options.strip.empty()) setting.strip_bytes = kVerb.bytes(options.strip, "--strip ");
  setting.streams = options.streams;
  // The ring of lines has been round once, and caches are what the calls before have made them.
  const std::string calls = !options.calls.empty()                  ? options.calls
                            : setting.mode == simulate::Mode::paper ? "1"
                                                                    : "20";
  setting.calls = number_of(calls, "--calls", 1, kMostCalls);
  setting.starts_together = !options.in_a_row;
  setting.seed = number_of(options.seed, "--seed", 0, ~0u);
  setting.skew = options.skew;
  setting.jitter = options.jitter;
  setting.has_timeline = !options.timeline.empty();
  return setting;
}

Scene scene_of(const Options& options) {
  Scene scene;
  if (options.size.empty())
    kVerb.refuse("expected an algorithm and a size, as in allreduce.tree 64KiB");
  scene.row = &algorithm_of(options.algorithm);
  scene.setting = setting_of(options);
  if (options.machine.empty()) kVerb.refuse("expected --machine, a machine model");
  scene.machine = kVerb.value(model::read_machine_model(options.machine));
  if (options.ranks.empty()) kVerb.refuse("expected --ranks N, how many ranks call");
  const Rank ranks = number_of(options.ranks, "--ranks", 1, kMostRanks);
  scene.localities = kVerb.value(model::localities_on(scene.machine, ranks, options.nodes));
  const Hierarchy hierarchy = hierarchy_of(scene.localities);
  const Plan plan = scene.row->write({hierarchy, number_of(options.root, "--root", 0, ranks - 1),
                                      number_of(options.radix, "--radix", 2, kMostRanks)});
  const std::size_t bytes = scene.setting.element_count * scene.setting.element_bytes;
  scene.plan = kVerb.value(lower(plan, lowering_of(options, *scene.row, bytes),
                                 number_of(options.ring, "--ring", 1, 1024)));
  scene.parts = parts_of(scene.plan);
  return scene;
}

ordered_json json_of(const Scene& scene, const Options& options, const simulate::Outcome& outcome,
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
  for (std::size_t i = 0; i < scene.machine.distances.size(); ++i)
    moved[scene.machine.distances[i].name] = outcome.bytes_from[i + 2];
  moved["memory"] = outcome.bytes_from.back();
  return {{"algorithm", scene.row->name},
          {"bytes", scene.setting.element_count * scene.setting.element_bytes},
          {"machine", scene.machine.name},
          {"ranks", scene.localities.size()},
          {"mode", options.mode},
          {"lowering", scene.plan.lowering == Lowering::lines ? "lines" : "owner"},
          {"seed", scene.setting.seed},
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

void print(const Scene& scene, const Options& options, const simulate::Outcome& outcome,
           double seconds) {
  const simulate::CallTimes& last = outcome.calls.back();
  const auto us = [](double ns) { return ns / 1000; };
  std::cout << std::fixed << std::setprecision(4) << scene.row->name << ", " << options.size << ", "
            << scene.localities.size() << " ranks on " << scene.machine.title << '\n'
            << "a call takes " << us(last.most) << " us on the slowest rank, " << us(last.mean)
            << " us on average";
  if (outcome.calls.size() > 1) std::cout << " (call " << outcome.calls.size() << ")";
  std::cout << "\nbytes of all calls and ranks: " << std::setprecision(0) << outcome.bytes_from[0]
            << " in own caches, " << outcome.bytes_from[1] << " in last caches";
  for (std::size_t i = 0; i < scene.machine.distances.size(); ++i)
    if (outcome.bytes_from[i + 2] > 0)
      std::cout << ", " << outcome.bytes_from[i + 2] << " at distance "
                << scene.machine.distances[i].name;
  std::cout << ", " << outcome.bytes_from.back() << " of memory; " << outcome.signal_lines
            << " lines of signals";
  if (outcome.nodes > 1)
    std::cout << "; " << outcome.messages << " messages between " << outcome.nodes
              << " nodes, of which " << outcome.nodes_played << " were played";
  std::cout << "\nsimulated " << outcome.steps << " steps in " << std::setprecision(3) << seconds
            << " s, with " << outcome.memory_bytes / 1024 << " KiB\n";
}

void write_timeline(const Scene& scene, const Options& options, simulate::Outcome outcome) {
  Timeline timeline;
  timeline.title = std::string(scene.row->name) + " of " + options.size + ", " +
                   std::to_string(scene.localities.size()) + " ranks on " + scene.machine.name +
                   ", simulated";
  timeline.ranks = static_cast<Rank>(scene.localities.size());
  timeline.events = std::move(outcome.events_of_ranks);
  std::ofstream file(options.timeline);
  file << to_json(timeline);
  if (!file.flush()) kVerb.fail("cannot write '" + options.timeline + "'; give another --timeline");
}

void run(const Options& options) {
  const Scene scene = scene_of(options);
  const auto start = std::chrono::steady_clock::now();
  const auto outcome =
      simulate::simulate(scene.machine, scene.localities, scene.parts, scene.setting);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (!outcome) kVerb.fail(outcome.error().sentence);
  if (!options.timeline.empty()) write_timeline(scene, options, outcome.value());
  if (options.as_json)
    std::cout << json_of(scene, options, outcome.value(), took.count()).dump(2) << '\n';
  else
    print(scene, options, outcome.value(), took.count());
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
  verb->add_option("algorithm", options->algorithm, "of `terrace plan --list`");
  verb->add_option("size", options->size, "bytes of a rank's vector or block: 8, 64KiB");
  verb->add_option("--machine", options->machine, "a machine model, by name or file");
  verb->add_option("--ranks", options->ranks, "how many, one on a core");
  verb->add_option("--nodes", options->nodes,
                   "nodes: \"2\", or the ranks of each: \"4,4,2\" [as few as have room]");
  verb->add_option("--root", options->root, "of rooted collectives [0]");
  verb->add_option("--radix", options->radix, "how many operands a rank reads at once [8]");
  verb->add_option("--ring", options->ring, "slots of scratch that strips go around [2]");
  verb->add_option("--strip", options->strip, "bytes that go through the plan at a time [all]");
  verb->add_option("--lower", options->lowering, "lines or owner [lines where a value fits one]");
  verb->add_flag("--bounced", options->is_bounced, "users' buffers are copied to scratch first");
  verb->add_flag("--stream", options->streams, "results are stored past the caches");
  verb->add_option("--mode", options->mode,
                   "paper: synchronization costs nothing; real: it does [real]");
  verb->add_option("--calls", options->calls,
                   "one after the other; the last counts [20; paper: 1]");
  verb->add_flag("--in-a-row", options->in_a_row, "ranks do not wait for each other between calls");
  verb->add_option("--seed", options->seed, "of skew and jitter [0]");
  verb->add_option("--skew", options->skew, "ns within which ranks begin [0]")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--jitter", options->jitter, "a step takes up to that share longer [0]")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--timeline", options->timeline, "write what each rank does when, as JSON");
  verb->add_flag("--json", options->as_json, "print JSON");
  verb->callback([options] { run(*options); });
}
