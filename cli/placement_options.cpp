// SPDX-License-Identifier: BSD-3-Clause
// Determines where ranks are: from options first, then from the environment. See
// placement_options.hpp.
#include "placement_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/number.hpp"
#include "base/paths.hpp"
#include "machine/machine.hpp"
#include "machine_files/read_machine_model.hpp"

namespace terrace {

namespace {

/// An option that stands in for a variable.
struct Stand {
  const char *option, *variable, *help;
};
constexpr Stand kStands[] = {
    {"--machine", "TERRACE_MACHINE",
     "the shape of a node: a machine in hwloc's words, a file of lstopo, or a machine model"},
    {"--nodes", "TERRACE_NODES", "nodes: \"2\", or the ranks of each: \"4,4,2\""},
    {"--bind", "TERRACE_BIND",
     "a level (core, pu, l3, numa, package), none, or PUs per rank: \"0,1,2-3,8+9\""}};

/// A machine model stands for the shape of one of its nodes.
std::string shape_of(const std::string& text) {
  const std::vector<std::string> names = model::machine_model_names();
  if (text.ends_with(".json") || std::find(names.begin(), names.end(), text) != names.end()) {
    const auto machine = model::read_machine_model(text);
    if (!machine) throw CLI::ValidationError("--machine", machine.error().sentence);
    return machine.value().machine;
  }
  const bool may_be_shape = text.empty() || text.find_first_of(":/. ") != std::string::npos;
  if (may_be_shape || is_there(text)) return text;
  throw CLI::ValidationError(
      "--machine", "'" + text +
                       "' given, expected a machine in hwloc's words, as in \"pack:2 "
                       "core:4 pu:1\", a file of `lstopo FILE.xml`, or a machine model: " +
                       "a file that ends with .json, or one of " + known_models());
}

}  // namespace

std::string known_models() {
  std::string all;
  for (const std::string& name : model::machine_model_names())
    all += (all.empty() ? "" : ", ") + name;
  return all.empty() ? "none is installed beside this program" : all;
}

std::string PlacementOptions::as_typed(std::string sentence) const {
  for (const Stand& stand : kStands)
    if (const std::size_t at = sentence.find(stand.variable);
        at != std::string::npos && variables.count(stand.variable) != 0)
      sentence.replace(at, std::string(stand.variable).size(), stand.option);
  return sentence;
}

std::shared_ptr<PlacementOptions> add_placement_options(CLI::App& verb,
                                                        std::vector<std::string>* machines) {
  auto placement = std::make_shared<PlacementOptions>();
  for (const Stand& stand : kStands) {
    const bool is_machine = std::string(stand.option) == "--machine";
    if (is_machine && machines != nullptr) {
      verb.add_option_function<std::vector<std::string>>(
              stand.option,
              [placement, machines](const std::vector<std::string>& values) {
                *machines = values;
                *placement = on_machine(*placement, values.front());
              },
              stand.help)
          ->allow_extra_args(false);
      continue;
    }
    verb.add_option_function<std::string>(
        stand.option,
        [placement, stand, is_machine](const std::string& value) {
          placement->variables[stand.variable] = is_machine ? shape_of(value) : value;
        },
        stand.help);
  }
  return placement;
}

PlacementOptions on_machine(PlacementOptions placement, const std::string& machine) {
  placement.variables[kStands[0].variable] = shape_of(machine);
  return placement;
}

bool names_model(const std::string& machine) {
  const std::vector<std::string> names = model::machine_model_names();
  return machine.ends_with(".json") || machine == model::kThisMachine ||
         std::find(names.begin(), names.end(), machine) != names.end();
}

Environment environment_of(const PlacementOptions& placement) {
  return [variables = placement.variables,
          behind = process_environment()](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? behind(name) : std::optional<std::string>(found->second);
  };
}

std::optional<Hierarchy> hierarchy_at(const PlacementOptions& placement, Rank ranks,
                                      const Verb& verb) {
  const Environment environment = environment_of(placement);
  if (announcement_of(environment).empty()) return std::nullopt;
  const Machine machine = verb.value(placement.as_typed(machine_of(environment)));
  return hierarchy_of(verb.value(placement.as_typed(localities_on(machine, environment, ranks))));
}

std::uint32_t number_of(const std::string& text, const std::string& option, std::uint32_t least,
                        std::uint32_t most) {
  if (const auto number = number_from_text(text, least, most)) return *number;
  throw CLI::ValidationError(option, "'" + text + "' given, expected a number from " +
                                         std::to_string(least) + " to " + std::to_string(most));
}

}  // namespace terrace
