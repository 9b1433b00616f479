// SPDX-License-Identifier: BSD-3-Clause
// `terrace cost`: the predicted cost of a call on a machine that a file describes, and what decides
// it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/bytes.hpp"
#include "bench_results.hpp"
#include "call_options.hpp"
#include "graph_call.hpp"
#include "machine_files/read_machine_model.hpp"
#include "placement_options.hpp"
#include "refusals.hpp"
#include "subcommands.hpp"
#include "written_plan.hpp"

namespace cost_verb {
namespace {

using nlohmann::ordered_json;
using namespace terrace;

constexpr Verb kVerb{"terrace cost"};
constexpr Rank kMostRanks = 1024;

struct Options {
  std::shared_ptr<CallOptions> call;
  std::shared_ptr<RunOptions> way;
  std::string measured;  ///< a file
  bool is_papers = false, lists = false, as_json = false;
};

void list_machines(bool as_json) {
  ordered_json all = ordered_json::array();
  for (const std::string& name : model::machine_model_names()) {
    const model::MachineModel machine = kVerb.value(model::read_machine_model(name));
    all.push_back({{"name", name}, {"title", machine.title}});
    if (!as_json) std::cout << std::left << std::setw(22) << name << machine.title << '\n';
  }
  if (as_json) std::cout << all.dump(2) << '\n';
}

/// The choice that Terrace would make for a collective. A named algorithm, or a user's plan, runs
/// as it is, in one strip where it is direct.
Choice choice_of(const RunOptions& way, const Asked& asked) {
  Choice choice;
  if (asked.row == nullptr && asked.call.own == nullptr)
    choice = chooser_for(*asked.platform, asked.call.is_direct)
                 ->choose({asked.call.collective, asked.call.bytes});
  if (asked.row != nullptr || asked.call.own != nullptr) {
    choice = {};
    choice.algorithm = asked.call.own != nullptr ? asked.call.own->name : asked.row->name;
    if (asked.call.is_direct || asked.is_on_graph) choice.strip_bytes = kWhole;
  }
  choice.radix = radix_of(way).value_or(choice.radix);
  choice.depth = depth_of(way).value_or(choice.depth);
  choice.strip_bytes = strip_of(way, kVerb).value_or(choice.strip_bytes);
  choice.streams = choice.streams || way.streams;
  return choice;
}

ordered_json parts_as_json(const std::vector<model::CostPart>& parts,
                           const model::MachineModel& machine) {
  ordered_json all = ordered_json::array();
  for (const model::CostPart& part : parts)
    all.push_back(
        {{"cause", model::to_text(part.cause)},
         {"distance", part.cause == model::Cause::message ? machine.networks[part.distance].level
                                                          : machine.distances[part.distance].name},
         {"ns", part.ns}});
  return all;
}

ordered_json as_json(const Prediction& prediction, const std::string& size,
                     const model::MachineModel& machine) {
  const model::Cost& cost = prediction.cost;
  ordered_json path = ordered_json::array();
  for (const model::CostStep& step : cost.path)
    path.push_back({{"rank", step.rank},
                    {"strip", step.strip},
                    {"position", step.position},
                    {"begin", step.begin},
                    {"end", step.end},
                    {"parts", parts_as_json(step.parts, machine)}});
  ordered_json bytes = ordered_json::object();
  for (std::size_t i = 0; i < cost.bytes.size(); ++i)
    bytes[machine.distances[i].name] = cost.bytes[i];
  bytes["memory"] = cost.memory_bytes;
  bytes["messages"] = cost.message_bytes;
  return {{"algorithm", prediction.choice.algorithm},
          {"plan", prediction.plan->name},
          {"lowering", name_of(prediction.plan->lowering)},
          {"machine", machine.name},
          {"ranks", prediction.plan->ranks},
          {"size", size},
          {"ns", cost.total},
          {"finish", cost.finish},
          {"spent", parts_as_json(cost.spent, machine)},
          {"bytes", bytes},
          {"strips", cost.strips},
          {"strips_played", cost.strips_played},
          {"path", path}};
}

// ---------------------------------------------------------------------------------------------
// Calls that were measured.

/// The plan that ran, where it is known by that name; otherwise what would be chosen.
std::string asked_of(const MeasuredCall& measured) {
  const Algorithm* const row = find_algorithm(measured.plan);
  const Collective collective = planned_as(*collective_from_text(measured.collective));
  return row != nullptr && row->collective == collective ? measured.plan : measured.collective;
}

Prediction prediction_of(const MeasuredCall& measured, const Options& options, CallOptions call) {
  call.what = asked_of(measured);
  call.size = std::to_string(measured.bytes);
  call.ranks = std::to_string(measured.ranks);
  call.is_bounced = !measured.is_direct;
  const std::unique_ptr<Asked> asked =
      terrace::asked(call, 1, kMostRanks, kVerb, options.way.get());
  return kVerb.value(predict(asked->call, choice_of(*options.way, *asked), *asked->platform));
}

void print_measured(const MeasuredCall& measured, const Prediction& predicted) {
  const double us = predicted.cost.total / 1000;
  std::cout << std::left << std::setw(20) << measured.collective << std::right << std::setw(9)
            << bytes_text(measured.bytes) << std::setw(6) << measured.ranks << "  " << std::left
            << std::setw(28) << predicted.choice.algorithm << std::right << std::fixed
            << std::setprecision(3) << std::setw(11) << us;
  if (measured.us > 0)
    std::cout << std::setw(11) << measured.us << std::setprecision(2) << std::setw(8)
              << us / measured.us << '\n';
  else
    std::cout << std::setw(11) << '-' << std::setw(8) << '-' << '\n';
}

/// Writes the point that `terrace plot predicted` joins with the file that was given.
ordered_json as_json(const MeasuredCall& measured, const Prediction& predicted) {
  ordered_json point = {
      {"collective", measured.collective}, {"bytes", measured.bytes}, {"ranks", measured.ranks}};
  if (!measured.reach.empty()) point["reach"] = measured.reach;
  point["algorithm"] = predicted.choice.algorithm;
  point["us"] = predicted.cost.total / 1000;
  return point;
}

void print_median(std::vector<double> errors) {
  if (errors.empty()) return;
  std::sort(errors.begin(), errors.end());
  std::cout << errors.size() << (errors.size() == 1 ? " call" : " calls") << ", median error "
            << std::lround(100 * errors[errors.size() / 2]) << " %\n";
}

void predict_measured(const Options& options, const CallOptions& call) {
  if (call.machine.empty()) kVerb.refuse("expected --machine with --measured");
  const Rank only = call.ranks.empty() ? 0 : number_of(call.ranks, "--ranks", 1, kMostRanks);
  const std::vector<MeasuredCall> calls = measured_calls(options.measured, kVerb);
  ordered_json points = ordered_json::array();
  std::vector<double> errors;
  if (!options.as_json)
    std::cout << "collective              bytes ranks  algorithm                    "
                 "predicted us  us     ratio\n";
  for (const MeasuredCall& measured : calls) {
    if (only != 0 && measured.ranks != only) continue;
    const Prediction predicted = prediction_of(measured, options, call);
    points.push_back(as_json(measured, predicted));
    if (!options.as_json) print_measured(measured, predicted);
    if (measured.us > 0) errors.push_back(std::abs(predicted.cost.total / 1000 / measured.us - 1));
  }
  if (points.empty())
    kVerb.refuse("--ranks " + call.ranks + " given, but " + options.measured +
                 " has no call of that many");
  if (options.as_json)
    std::cout << ordered_json({{"machine", call.machine}, {"points", points}}).dump(1) << '\n';
  else
    print_median(errors);
}

void run(const Options& options) {
  if (options.lists) return list_machines(options.as_json);
  CallOptions call = *options.call;
  if (options.is_papers) call.mode = "paper";
  if (!options.measured.empty()) return predict_measured(options, call);
  const std::unique_ptr<Asked> asked =
      terrace::asked(call, 1, kMostRanks, kVerb, options.way.get());
  const Choice choice = choice_of(*options.way, *asked);
  Drafts drafts(*asked->platform);
  draft_of(call, *asked, choice, drafts, kVerb);
  const Prediction prediction = kVerb.value(predict(asked->call, choice, drafts));
  if (options.as_json)
    std::cout << as_json(prediction, call.size, asked->machine).dump(2) << '\n';
  else
    std::cout << model::to_text(prediction.cost, *prediction.plan, asked->machine,
                                prediction.choice.algorithm);
}

}  // namespace
}  // namespace cost_verb

void add_cost_subcommand(CLI::App& app) {
  using namespace cost_verb;
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("cost", "Predict what a call takes on a machine, and why");
  verb->footer(
      "Examples:\n"
      "  terrace cost --list                                        all known machines\n"
      "  terrace cost allreduce 64KiB --machine magny-cours-6100 --ranks 32\n"
      "  terrace cost allreduce.tree 64 --radix 2 --machine westmere-x5650 --ranks 12\n"
      "      --lower owner --mode paper                 306.7 ns, as the HPDC'13 paper counts\n"
      "  terrace cost my.plan 8 --machine rome-2x64            your own plan, proved first\n"
      "  terrace cost neighbour_alltoall.pull 64KiB --machine rome-2x64 --graph torus:4x4\n"
      "  terrace cost bcast 1MiB --machine ./mine.json --ranks 8 --json\n"
      "  terrace bench --json > measured.json && terrace cost --measured measured.json --machine\n"
      "      two-near-cores                                        each call, and what it took\n"
      "Ranks are bound to cores, in order. What is counted: docs/design/costs.md.\n"
      "`terrace simulate` may say half as much or twice as much: here a rank's own work overlaps\n"
      "with lines on their way to it, there transfers share links over time. Believe this for few\n"
      "ranks, that for many.");
  options->call = add_call_options(*verb, Subject::either);
  add_graph_option(*verb, options->call->graph, kMostRanks);
  options->way = add_run_options(*verb);
  verb->add_flag("--list", options->lists, "list the machines");
  CLI::Option* const measured =
      verb->add_option("--measured", options->measured,
                       "predict each call in a file that `terrace bench --json` or ./dev bench "
                       "wrote; with --ranks only those of that many ranks");
  for (const char* const said : {"what", "size", "--root", "--bounced", "--graph"})
    measured->excludes(verb->get_option(said));
  // As these were called at first.
  verb->add_flag("--streams", options->way->streams)->group("");
  verb->add_flag("--paper", options->is_papers)->group("");
  verb->add_flag("--json", options->as_json, "print JSON");
  verb->callback([options] { run(*options); });
}
