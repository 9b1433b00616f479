// SPDX-License-Identifier: BSD-3-Clause
// `terrace cost`: what a call would cost on a machine that is described in a file, and why.
#include <CLI/CLI.hpp>
#include <cctype>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>

#include "api/prediction.hpp"
#include "model/read_machine_model.hpp"
#include "placing.hpp"
#include "refusals.hpp"
#include "verbs.hpp"

namespace {

using nlohmann::ordered_json;
using namespace terrace;

constexpr Verb kVerb{"terrace cost"};
constexpr Rank kMostRanks = 1024;

struct Options {
  std::string what, size;
  std::string machine, ranks, nodes, root = "0", radix, strip;
  bool bounces = false, streams = false, is_papers = false, lists = false, as_json = false;
};

/// As other verbs read them, and "8B".
std::size_t bytes_of(const std::string& text, const std::string& option) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  const bool names_bytes =
      text.size() > 1 && text.back() == 'B' && std::isdigit(text[text.size() - 2]) != 0;
  const std::string number = names_bytes ? text.substr(0, text.size() - 1) : text;
  if (const auto bytes = bytes_from_text(number, kMost)) return *bytes;
  kVerb.refuse(option + " '" + text + "' given, expected bytes, as in 8, 64KiB or 16MiB");
}

void list_machines(bool as_json) {
  ordered_json all = ordered_json::array();
  for (const std::string& name : model::machine_model_names()) {
    const model::MachineModel machine = kVerb.value(model::read_machine_model(name));
    all.push_back({{"name", name}, {"title", machine.title}});
    if (!as_json) std::cout << std::left << std::setw(22) << name << machine.title << '\n';
  }
  if (as_json) std::cout << all.dump(2) << '\n';
}

/// What would be chosen for a collective; an algorithm that is named runs as it is, in one strip
/// where it is direct.
Choice choice_of(const Options& options, Collective collective, const Predicted& call, Rank ranks) {
  TeamTraits traits;
  traits.ranks = ranks;
  traits.can_be_direct = call.is_direct;
  Choice choice = choose({collective, call.bytes}, traits);
  if (const Algorithm* row = find_algorithm(options.what); row != nullptr) {
    choice = {};
    choice.algorithm = row->name;
    if (call.is_direct) choice.strip_bytes = kWhole;
  }
  if (!options.radix.empty()) choice.radix = number_of(options.radix, "--radix", 2, kMostRanks);
  if (!options.strip.empty()) choice.strip_bytes = bytes_of(options.strip, "--strip");
  if (options.streams) choice.streams = true;
  return choice;
}

Prediction prediction_of(const Options& options, const Scene& scene) {
  const Algorithm* const row = find_algorithm(options.what);
  const auto collective =
      row != nullptr ? std::optional(row->collective) : collective_from_text(options.what);
  if (!collective)
    kVerb.refuse("'" + options.what +
                 "' is neither an algorithm (terrace plan --list) nor a collective");
  const auto ranks = static_cast<Rank>(scene.places.size());
  Predicted call;
  call.collective = planned_as(*collective);
  call.bytes = *collective == Collective::barrier ? 0 : bytes_of(options.size, "the size");
  call.root = number_of(options.root, "--root", 0, ranks - 1);
  call.is_direct = !options.bounces;
  call.account = options.is_papers ? model::Account::paper : model::Account::all;
  return kVerb.value(predict(call, choice_of(options, call.collective, call, ranks), scene));
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

ordered_json as_json(const Prediction& prediction, const Options& options,
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
          {"machine", machine.name},
          {"ranks", prediction.plan.ranks},
          {"size", options.size},
          {"ns", cost.total},
          {"finish", cost.finish},
          {"spent", parts_as_json(cost.spent, machine)},
          {"bytes", bytes},
          {"strips", cost.strips},
          {"strips_played", cost.strips_played},
          {"path", path}};
}

void run(const Options& options) {
  if (options.lists) return list_machines(options.as_json);
  if (options.what.empty() || options.machine.empty() || options.ranks.empty())
    kVerb.refuse("expected an algorithm or a collective, a size, --machine NAME and --ranks N");
  const Rank ranks = number_of(options.ranks, "--ranks", 1, kMostRanks);
  const model::MachineModel machine = kVerb.value(model::read_machine_model(options.machine));
  const Scene scene(machine, kVerb.value(model::localities_on(machine, ranks, options.nodes)));
  const Prediction prediction = prediction_of(options, scene);
  if (options.as_json)
    std::cout << as_json(prediction, options, machine).dump(2) << '\n';
  else
    std::cout << model::to_text(prediction.cost, prediction.plan, machine);
}

}  // namespace

void add_cost_verb(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("cost", "Predict what a call takes on a machine, and why");
  verb->footer(
      "Examples:\n"
      "  terrace cost --list                                        the machines that are known\n"
      "  terrace cost allreduce 64KiB --machine magny-cours-6100 --ranks 32\n"
      "  terrace cost allreduce.tree 64 --radix 2 --machine westmere-x5650 --ranks 12 --paper\n"
      "  terrace cost bcast 1MiB --machine ./mine.json --ranks 8 --json\n"
      "Ranks are bound to cores, in order. What is counted: docs/design/costs.md.");
  verb->add_option("what", options->what, "an algorithm, or a collective for what would be chosen");
  verb->add_option("size", options->size, "bytes of a rank's vector, or of each block: 64KiB");
  verb->add_flag("--list", options->lists, "list the machines");
  verb->add_option("--machine", options->machine, "a name of --list, or a file");
  verb->add_option("--ranks", options->ranks, "how many ranks");
  verb->add_option("--nodes", options->nodes, "nodes: \"2\", or the ranks of each: \"4,4,2\"");
  verb->add_option("--root", options->root, "root of bcast, reduce and the like [0]");
  verb->add_option("--radix", options->radix, "how many operands a rank reads at once");
  verb->add_option("--strip", options->strip, "bytes of a strip");
  verb->add_flag("--bounced", options->bounces, "processes that do not reach users' buffers");
  verb->add_flag("--streams", options->streams, "store results past the caches");
  verb->add_flag("--paper", options->is_papers,
                 "count as the HPDC'13 paper does, without synchronization");
  verb->add_flag("--json", options->as_json, "print JSON");
  verb->callback([options] { run(*options); });
}
