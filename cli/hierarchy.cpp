// SPDX-License-Identifier: BSD-3-Clause
// `terrace hierarchy`: the groups into which communicators are split on a machine and its network,
// level by level, and why a rank is where it is.
#include <CLI/CLI.hpp>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/number.hpp"
#include "communicators/layers.hpp"
#include "communicators/names.hpp"
#include "draw/hierarchy.hpp"
#include "job.hpp"
#include "job_over_nodes.hpp"
#include "launch.hpp"
#include "machine/network.hpp"
#include "mpi_of_program.hpp"
#include "placement_options.hpp"
#include "refusals.hpp"
#include "subcommands.hpp"

namespace hierarchy_verb {
namespace {

using nlohmann::ordered_json;
using namespace terrace;

constexpr Verb kVerb{"terrace hierarchy"};
constexpr Rank kMostRanks = 1'000'000;
constexpr const char *kNetwork = "TERRACE_NETWORK", *kNetworkOption = "--network";

struct Options {
  std::shared_ptr<PlacementOptions> placement;
  std::string ranks;
  std::string job;    ///< a process of one that runs
  std::string why;    ///< a rank
  std::string level;  ///< for `why`
  bool as_json = false;
  bool as_svg = false;
};

/// Returns how many ranks the job has within which the command is called, as its launcher says.
std::optional<std::string> ranks_of_this_job(const Environment& environment) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"})
    if (const auto value = environment(name); value && !value->empty()) return value;
  return std::nullopt;
}

Rank rank_count(const Options& options, const Environment& environment) {
  if (!options.ranks.empty()) return number_of(options.ranks, "--ranks", 1, kMostRanks);
  if (const auto ranks = ranks_of_this_job(environment))
    return number_of(*ranks, "the launcher's number of ranks", 1, kMostRanks);
  kVerb.refuse("this job does not tell its number of ranks: expected --ranks P");
}

/// The file that describes the network above the nodes, and what named it: the option puts its file
/// in the variable's place.
struct NamedNetwork {
  Network network;
  const char* said_by;

  void put_above(const std::string& host, Locality& locality) const {
    const std::vector<LevelPlace> above = kVerb.value(places_of(network, host), said_by);
    locality.places.insert(locality.places.begin(), above.begin(), above.end());
  }
};

std::optional<NamedNetwork> network_of(const PlacementOptions& placement,
                                       const Environment& environment) {
  const std::string path = environment(kNetwork).value_or("");
  if (path.empty()) return std::nullopt;
  const char* const said_by = placement.variables.count(kNetwork) > 0 ? kNetworkOption : kNetwork;
  return NamedNetwork{kVerb.value(read_network(path), said_by), said_by};
}

/// Places above pretended nodes. Between ranks of one node there is no network.
void add_network(const PlacementOptions& placement, const Environment& environment,
                 std::vector<Locality>& localities) {
  const std::optional<NamedNetwork> named = network_of(placement, environment);
  if (!named || environment("TERRACE_NODES").value_or("").empty()) return;
  for (Locality& locality : localities)
    named->put_above(host_of_node(named->network, locality.places.front().index), locality);
}

/// Whether bindings or nodes are told, so that a job's real ones do not matter.
bool is_told(const Options& options, const Environment& environment, const Machine& machine) {
  const auto has = [&](const char* name) { return !environment(name).value_or("").empty(); };
  return !machine.is_this_machine || !options.ranks.empty() || has("TERRACE_BIND");
}

/// A tree of guesses would look like one of bindings that were seen.
void refuse_to_guess(const Environment& environment, Rank ranks) {
  if (is_in_a_job() && environment("TERRACE_NODES").value_or("").empty()) return;
  kVerb.refuse("it cannot see how the " + std::to_string(ranks) +
               " ranks of this job are bound, and on which nodes: give --bind and --nodes, as in "
               "--bind core --nodes 2; a program that splits MPI_COMM_WORLD, such as "
               "examples/communicators.c, shows what a job's ranks really get");
}

std::vector<Locality> localities_of_other_job(const Options& options,
                                              const Environment& environment) {
  const Machine machine = kVerb.value(options.placement->as_typed(machine_of(environment)));
  if (!machine.is_this_machine || !announcement_of(environment).empty())
    throw CLI::ValidationError("--job",
                               "it shows how ranks are really bound here: expected neither "
                               "--machine, --nodes and --bind nor their variables with it");
  const auto number = number_of(options.job, "--job", 1, std::numeric_limits<int>::max());
  return localities_of_job(machine, number, kVerb);
}

/// Nothing for all but rank 0.
std::optional<std::vector<Locality>> localities_by_messages(const Options& options,
                                                            const Environment& environment,
                                                            const Machine& machine, Rank ranks) {
  const std::string library = library_of_launcher();
  if (library.empty()) {
    if (launch_of_this_rank().rank != 0) return std::nullopt;
    kVerb.fail("this job of " + std::to_string(ranks) +
               " ranks is on several nodes, and no MPI lies beside what started it, by which they "
               "could tell how they are bound; " +
               kSayHowRanksAreBound);
  }
  std::optional<RanksOverNodes> seen = ranks_over_nodes(machine, library, kVerb);
  if (!seen) return std::nullopt;
  if (const auto named = network_of(*options.placement, environment))
    for (std::size_t rank = 0; rank < seen->hosts.size(); ++rank)
      named->put_above(seen->hosts[rank], seen->localities[rank]);
  return std::move(seen->localities);
}

/// Nothing for a rank of a job that leaves it to rank 0 to print.
std::optional<std::vector<Locality>> localities_for(const Options& options) {
  const Environment environment = environment_of(*options.placement);
  if (!options.job.empty()) return localities_of_other_job(options, environment);
  const Rank ranks = rank_count(options, environment);
  const Machine machine = kVerb.value(options.placement->as_typed(machine_of(environment)));
  if (ranks > 1 && !is_told(options, environment, machine)) {
    refuse_to_guess(environment, ranks);
    return is_on_several_nodes(kVerb) ? localities_by_messages(options, environment, machine, ranks)
                                      : localities_of_this_job(machine, kVerb);
  }
  std::vector<Locality> localities =
      kVerb.value(options.placement->as_typed(localities_on(machine, environment, ranks)));
  add_network(*options.placement, environment, localities);
  return localities;
}

/// An array of levels. Where parents differ in type, `types` has those of the groups.
ordered_json json_of(const Hierarchy& hierarchy) {
  ordered_json json = ordered_json::array();
  for (const communicators::Layer& layer : communicators::layers_of(hierarchy)) {
    ordered_json groups = ordered_json::array(), types = ordered_json::array();
    bool is_mixed = false;
    for (const Group* group : layer.groups) {
      groups.push_back(group->ranks);
      types.push_back(communicators::type_of(group->level));
      is_mixed = is_mixed || types.back() != types.front();
    }
    ordered_json level = {{"type", layer.type()}, {"groups", groups}, {"roots", layer.roots}};
    if (is_mixed) level["types"] = types;
    json.push_back(std::move(level));
  }
  return json;
}

/// The number of a level, or its type as users of MPI know it.
std::optional<std::size_t> level_asked_for(const Options& options, const Hierarchy& hierarchy,
                                           Rank rank) {
  if (options.level.empty()) return std::nullopt;
  if (const auto number = number_from_text<std::size_t>(options.level, 1)) return *number;
  const std::string level = communicators::level_of(options.level);
  const std::vector<communicators::SplitStep> way = communicators::way_to(hierarchy, rank);
  for (std::size_t i = 0; i < way.size(); ++i)
    if (way[i].group->level == level) return i + 1;
  std::string types;
  for (const communicators::SplitStep& step : way)
    types += (types.empty() ? "" : ", ") + communicators::type_of(step.group->level);
  throw CLI::ValidationError(
      "--level", "'" + options.level +
                     "' given, expected the number of a level, from 1, or a type" + " of rank " +
                     std::to_string(rank) + "'s groups" +
                     (types.empty() ? ", which is in none" : " (" + types + ")"));
}

void answer_why(const Options& options, const Hierarchy& hierarchy,
                const std::vector<Locality>& localities) {
  const Rank rank = number_of(options.why, "--why", 0, hierarchy.rank_count() - 1);
  std::cout << communicators::why(hierarchy, localities, rank,
                                  level_asked_for(options, hierarchy, rank))
            << '\n';
}

void run(const Options& options) {
  if (!options.level.empty() && options.why.empty())
    throw CLI::ValidationError("--level", "expected --why RANK with it");
  const std::optional<std::vector<Locality>> seen = localities_for(options);
  if (!seen) return;
  const std::vector<Locality>& localities = *seen;
  const Hierarchy hierarchy = hierarchy_of(localities);
  if (!options.why.empty())
    answer_why(options, hierarchy, localities);
  else if (options.as_json)
    std::cout << json_of(hierarchy).dump() << '\n';
  else if (options.as_svg)
    std::cout << svg_of(hierarchy);
  else
    std::cout << picture_text(hierarchy);
}

}  // namespace
}  // namespace hierarchy_verb

void add_hierarchy_subcommand(CLI::App& app) {
  using namespace hierarchy_verb;
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("hierarchy", "Show how communicators split along machine and network");
  verb->footer(
      "Examples:\n"
      "  terrace hierarchy --ranks 4 --bind core      4 ranks on this machine\n"
      "  terrace hierarchy --machine \"pack:2 [numa] l3:2 core:4 pu:1\" --nodes 2 --ranks 32\n"
      "  terrace hierarchy --network topology.conf --nodes 8 --ranks 16 --svg > groups.svg\n"
      "  terrace hierarchy --ranks 6 --bind 0,1,2-3,4-7,4-7,none --why 5\n"
      "  terrace hierarchy --ranks 8 --bind core --why 5 --level Core\n"
      "  mpirun -n 4 terrace hierarchy                how a job's ranks are bound: rank 0 prints\n"
      "  terrace hierarchy --job 4711                 the same for a running job\n"
      "TERRACE_MACHINE, TERRACE_NODES, TERRACE_BIND and TERRACE_NETWORK replace missing options.\n"
      "Ranks on several nodes tell by the MPI that lies beside their launcher how they are bound.");
  options->placement = add_placement_options(*verb);
  verb->add_option_function<std::string>(
      kNetworkOption,
      [placement = options->placement](const std::string& path) {
        placement->variables[kNetwork] = path;
      },
      "a file that describes the network above the nodes: Terrace's format, or Slurm's "
      "topology.conf");
  CLI::Option* const ranks = verb->add_option("--ranks", options->ranks, "how many ranks");
  verb->add_option("--job", options->job,
                   "the job of this process, with its ranks' current bindings")
      ->excludes(ranks);
  verb->add_option("--why", options->why, "explain in a sentence why this rank is in its group");
  verb->add_option("--level", options->level,
                   "with --why: the level to explain, by number or type");
  CLI::Option* const json = verb->add_flag("--json", options->as_json, "print JSON");
  verb->add_flag("--svg", options->as_svg, "draw it")->excludes(json);
  verb->callback([options] { run(*options); });
}
