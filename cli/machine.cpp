// SPDX-License-Identifier: BSD-3-Clause
// `terrace machine`: shows this machine or a pretended one, the part that this process may use, and
// the groups of ranks placed on it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/number.hpp"
#include "doctor/reaches.hpp"
#include "hierarchy/hierarchy.hpp"
#include "machine/machine.hpp"
#include "os/binding.hpp"
#include "os/quota.hpp"
#include "placement_options.hpp"
#include "refusals.hpp"
#include "subcommands.hpp"
#include "system_trials.hpp"

namespace machine_verb {
namespace {

using nlohmann::ordered_json;
using namespace terrace;

constexpr Verb kVerb{"terrace machine"};
constexpr Rank kMostRanks = 65536;

struct Options {
  std::shared_ptr<PlacementOptions> placement;
  std::string ranks;
  bool as_json = false;
};

/// The facts to show, once all have been read.
struct View {
  Machine machine;
  std::vector<Locality> localities;  ///< of the ranks asked for
  PuSet binding;                     ///< of this process; on this machine only
  Quota quota;
  std::vector<ReachHere> reaches;  ///< between ranks here; likewise
  Pages pages;
};

/// Announces only what the environment pretends: a user who typed an option knows.
std::string announcement(const Options& options) {
  return announcement_of([variables = options.placement->variables, behind = process_environment()](
                             const std::string& name) -> std::optional<std::string> {
    return variables.count(name) != 0 ? std::nullopt : behind(name);
  });
}

/// Names what the user typed.
template <class T>
T value(Result<T> result, const Options& options) {
  return kVerb.value(options.placement->as_typed(std::move(result)));
}

std::string complaint_on_ranks(const std::string& text) {
  if (number_from_text(text, 1u, kMostRanks)) return "";
  return "'" + text + "' given, expected a number of ranks from 1 to " + std::to_string(kMostRanks);
}

/// TERRACE_BIND without ranks to bind: read as for as many as it names, so that errors are seen.
void check_binding(const Machine& machine, const Environment& environment, const Options& options) {
  const std::string bind = environment("TERRACE_BIND").value_or("");
  const auto ranks = static_cast<Rank>(std::count(bind.begin(), bind.end(), ',') + 1);
  const Environment only_bind = [&](const std::string& name) {
    return name == "TERRACE_BIND" ? environment(name) : std::nullopt;
  };
  if (!bind.empty()) value(localities_on(machine, only_bind, ranks), options);
}

/// TERRACE_NODES likewise, as far as one can say without ranks.
void check_nodes(const Machine& machine, const Environment& environment, const Options& options) {
  std::istringstream nodes(environment("TERRACE_NODES").value_or(""));
  const Environment only_nodes = [&](const std::string& name) {
    return name == "TERRACE_NODES" ? environment(name) : std::nullopt;
  };
  for (std::string entry; std::getline(nodes, entry, ',');)
    if (!number_from_text(entry, 1u)) value(localities_on(machine, only_nodes, 1), options);
}

View read_view(const Options& options) {
  const Environment environment = environment_of(*options.placement);
  View view;
  view.machine = value(machine_of(environment), options);
  if (!options.ranks.empty()) {
    const auto rank_count = *number_from_text<Rank>(options.ranks);
    view.localities = value(localities_on(view.machine, environment, rank_count), options);
  } else if (options.placement->variables.count("TERRACE_BIND") +
             options.placement->variables.count("TERRACE_NODES")) {
    kVerb.refuse("--bind and --nodes place ranks: expected --ranks N as well");
  } else {
    check_binding(view.machine, environment, options);
    check_nodes(view.machine, environment, options);
  }
  if (view.machine.is_this_machine) {
    view.binding = value(binding_of_this_process(), options);
    view.quota = cpu_quota();
    view.reaches = reaches_on(SystemView(), try_this_system());
    view.pages = pages_on(SystemView());
  }
  return view;
}

std::uint32_t usable(const View& view) {
  return usable_pus((view.binding & view.machine.node.pus).count(), view.quota);
}

ordered_json json_of(const Resource& resource) {
  ordered_json json = {
      {"level", resource.level}, {"index", resource.index}, {"pus", to_text(resource.pus)}};
  if (resource.bytes != 0) json["bytes"] = resource.bytes;
  for (const Resource& child : resource.children) json["children"].push_back(json_of(child));
  return json;
}

ordered_json json_of(const Group& group) {
  ordered_json json = {{"level", group.level}, {"index", group.index}, {"ranks", group.ranks}};
  for (const Group& child : group.children) json["children"].push_back(json_of(child));
  return json;
}

ordered_json json_of_binding(const View& view) {
  ordered_json json = {{"pus", to_text(view.binding)},
                       {"locality", to_text(locality_of(view.machine, view.binding, 0))},
                       {"usable_pus", usable(view)},
                       {"quota_pus", nullptr}};
  if (view.quota.is_limited()) {
    json["quota_pus"] = view.quota.pus;
    json["quota_file"] = view.quota.file;
  }
  return json;
}

ordered_json json_of(const ReachHere& reach) {
  return {{"name", reach.name},
          {"is_possible", reach.is_possible},
          {"found", reach.found},
          {"change", reach.change}};
}

ordered_json json_of(const View& view, const std::string& pretending) {
  ordered_json json = {{"origin", view.machine.origin},
                       {"is_this_machine", view.machine.is_this_machine},
                       {"pu_count", view.machine.node.pus.count()},
                       {"allowed_pus", to_text(view.machine.allowed)},
                       {"remarks", view.machine.remarks}};
  if (!pretending.empty()) json["pretending"] = pretending;
  for (const std::string& level : levels_of(view.machine))
    json["levels"].push_back(
        {{"level", level}, {"count", resources_at(view.machine, level).size()}});
  json["tree"] = json_of(view.machine.node);
  if (view.machine.is_this_machine) json["binding"] = json_of_binding(view);
  for (const ReachHere& reach : view.reaches) json["reaches"].push_back(json_of(reach));
  if (view.machine.is_this_machine)
    json["huge_pages"] = {{"own", view.pages.own}, {"shared", view.pages.shared}};
  for (const Locality& locality : view.localities) json["localities"].push_back(to_text(locality));
  if (!view.localities.empty()) json["hierarchy"] = json_of(hierarchy_of(view.localities).all);
  return json;
}

void print_levels(const Machine& machine) {
  std::cout << "levels:";
  const char* separator = " ";
  for (const std::string& level : levels_of(machine)) {
    std::cout << separator << resources_at(machine, level).size() << ' ' << level;
    separator = ", ";
  }
  std::cout << '\n';
}

void print_binding(const View& view) {
  const Locality locality = locality_of(view.machine, view.binding, 0);
  const bool is_bound = locality.places.size() > 1;
  std::cout << "binding of this process: PUs " << to_text(view.binding) << ", "
            << (is_bound ? to_text(locality) : "that is all: not bound") << '\n';
  std::cout << "quota: ";
  if (view.quota.is_limited())
    std::cout << view.quota.pus << " PUs, set by " << view.quota.file << '\n';
  else
    std::cout << "none\n";
  std::cout << "ranks that can run here at the same time: " << usable(view) << '\n';
}

void print_reaches(const View& view) {
  std::cout << "how ranks here reach each other's buffers:\n";
  for (const ReachHere& reach : view.reaches) {
    std::cout << "  " << std::left << std::setw(9) << reach.name
              << (reach.is_possible ? "yes: " : "no: ") << reach.found << '\n';
    if (!reach.change.empty())
      std::cout << "  " << std::setw(9) << ""
                << "to change: " << reach.change << '\n';
  }
  std::cout << "pages of long vectors: " << to_text(view.pages) << '\n';
}

void print_text(const View& view) {
  std::cout << to_text(view.machine);
  print_levels(view.machine);
  if (view.machine.allowed != view.machine.node.pus)
    std::cout << "allowed: PUs " << to_text(view.machine.allowed) << '\n';
  for (const std::string& remark : view.machine.remarks) std::cout << "note: " << remark << '\n';
  if (view.machine.is_this_machine) {
    print_binding(view);
    print_reaches(view);
  }
  if (view.localities.empty()) return;
  std::cout << "hierarchy of " << view.localities.size() << " ranks:\n"
            << to_text(hierarchy_of(view.localities));
}

void run(const Options& options) {
  const View view = read_view(options);
  const std::string pretending = announcement(options);
  if (!pretending.empty()) std::cerr << pretending << '\n';
  if (options.as_json)
    std::cout << json_of(view, pretending).dump(2) << '\n';
  else
    print_text(view);
}

}  // namespace
}  // namespace machine_verb

void add_machine_subcommand(CLI::App& app) {
  using namespace machine_verb;
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("machine", "Show the machine and how ranks group on it");
  verb->footer(
      "Examples:\n"
      "  terrace machine                         this machine, and what this process may use\n"
      "  terrace machine --ranks 8 --bind core   how 8 ranks bound to cores group here\n"
      "  terrace machine --machine \"pack:2 [numa] l3:2 core:4 pu:1\" --ranks 16\n"
      "  terrace machine --machine other.xml     a machine that `lstopo other.xml` wrote\n"
      "TERRACE_MACHINE, TERRACE_NODES and TERRACE_BIND replace missing options.");
  options->placement = add_placement_options(*verb);
  for (const char* option : {"--machine", "--nodes", "--bind"})
    verb->get_option(option)->check([](const std::string& value) {
      return value.empty() ? std::string("nothing given, expected what --help says") : "";
    });
  verb->add_option("--ranks", options->ranks, "show the hierarchy of this many ranks")
      ->check(complaint_on_ranks);
  verb->add_flag("--json", options->as_json, "print JSON");
  verb->callback([options] { run(*options); });
}
