// SPDX-License-Identifier: BSD-3-Clause
// Asks the operating system and hwloc where this process is.
#include "communicators/placement.hpp"

#include <algorithm>
#include <new>

#include "base/hash.hpp"
#include "base/host.hpp"
#include "communicators/names.hpp"
#include "machine/network.hpp"
#include "os/binding.hpp"

namespace terrace::communicators {
namespace {

const Result<Machine>& machine_read_once(const Environment& environment) {
  static const auto* const machine = new Result<Machine>(machine_of(environment));
  return *machine;
}

std::string settings_text(const Environment& environment) {
  std::string text;
  for (const char* name : {"TERRACE_MACHINE", "TERRACE_NODES", "TERRACE_BIND"})
    text += environment(name).value_or("") + '\n';
  return text;
}

bool is_set(const Environment& environment, const char* name) {
  return !environment(name).value_or("").empty();
}

/// A rank's place: the instances around it, which its binding may exceed, and the object that it is
/// bound to.
struct Located {
  Locality around;
  Locality bound;
};

/// The places of all ranks of the job if they are pretended, as these depend on each other.
Result<Located> located(const Environment& environment, Rank rank, Rank ranks,
                        const std::optional<PuSet>& known_binding) {
  const Result<Machine>& machine = machine_read_once(environment);
  if (!machine) return machine.error();
  if (machine.value().is_this_machine && !is_set(environment, "TERRACE_NODES") &&
      !is_set(environment, "TERRACE_BIND")) {
    const Result<PuSet> binding =
        known_binding ? Result<PuSet>(*known_binding) : binding_of_this_thread();
    if (!binding) return binding.error();
    return Located{instances_around(machine.value(), binding.value(), 0),
                   locality_of(machine.value(), binding.value(), 0)};
  }
  const Result<std::vector<Locality>> around =
      localities_on(machine.value(), environment, ranks, instances_around);
  if (!around) return around.error();
  const Result<std::vector<Locality>> bound =
      localities_on(machine.value(), environment, ranks, locality_of);
  if (!bound) return bound.error();
  return Located{around.value()[rank], bound.value()[rank]};
}

/// While the process lives only its binding changes: the rest is read once.
const std::string& host_name_read_once() {
  static const auto* const name = new std::string(host_name());
  return *name;
}

std::string description_of(const Network& network) {
  std::string text;
  for (const auto& [host, places] : network.places) {
    text += host + ' ' + to_text(Locality{places});
    for (const std::uint32_t coordinate : coordinates_of(network, host))
      text += ' ' + std::to_string(coordinate);
    text += '\n';
  }
  return text;
}

struct KnownNetwork {
  Result<Network> network;
  std::uint64_t hash = 0;
};

const KnownNetwork& network_read_once(const std::string& path) {
  static const auto* const known = [&] {
    auto* now = new KnownNetwork{read_network(path)};
    if (now->network) now->hash = hash_of(description_of(now->network.value()));
    return now;
  }();
  return *known;
}

Result<std::vector<LevelPlace>> places_in_file(const std::string& path,
                                               const Environment& environment, NodePlacement& own) {
  const auto& [network, hash] = network_read_once(path);
  if (!network) return Error{network.error().code, "TERRACE_NETWORK: " + network.error().sentence};
  own.network = hash;
  const std::string host = is_set(environment, "TERRACE_NODES")
                               ? host_of_node(network.value(), own.locality.places.front().index)
                               : host_name_read_once();
  own.coordinates = coordinates_of(network.value(), host);
  return places_of(network.value(), host);
}

const Result<std::vector<LevelPlace>>& places_from_slurm_once(const Environment& environment) {
  static const auto* const places = new Result<std::vector<LevelPlace>>(places_from_slurm(
      *environment("SLURM_TOPOLOGY_ADDR"), *environment("SLURM_TOPOLOGY_ADDR_PATTERN")));
  return *places;
}

/// The places above this rank's node: of a file that the user names, else of Slurm's words, which
/// know nothing of pretended nodes.
Result<std::vector<LevelPlace>> own_network(const Environment& environment, NodePlacement& own) {
  if (is_set(environment, "TERRACE_NETWORK"))
    return places_in_file(*environment("TERRACE_NETWORK"), environment, own);
  const bool has_slurms = is_set(environment, "SLURM_TOPOLOGY_ADDR") &&
                          is_set(environment, "SLURM_TOPOLOGY_ADDR_PATTERN");
  if (!has_slurms || is_set(environment, "TERRACE_NODES")) return std::vector<LevelPlace>{};
  own.network = 1;
  return places_from_slurm_once(environment);
}

void look_around(const Environment& environment, Rank rank, Rank ranks,
                 const std::optional<PuSet>& binding, NodePlacement& own) {
  static const std::uint64_t host = hash_of(host_name_read_once() + '\n' + boot_id());
  own.who = "rank " + std::to_string(rank) + " on " + host_name_read_once();
  own.host = host;
  own.node = host;
  own.settings = hash_of(settings_text(environment));
  const Result<Located> place = located(environment, rank, ranks, binding);
  if (!place) {
    own.trouble = place.error().sentence;
    return;
  }
  own.locality = place.value().around;
  own.is_bound = place.value().bound == own.locality;
  if (is_set(environment, "TERRACE_NODES"))
    own.node = hash_of("pretended " + std::to_string(own.locality.places.front().index));
  const Result<std::vector<LevelPlace>> above = own_network(environment, own);
  if (!above)
    own.network_trouble = above.error().sentence;
  else
    own.locality.places.insert(own.locality.places.begin(), above.value().begin(),
                               above.value().end());
}

}  // namespace

NodePlacement own_placement(const Environment& environment, Rank rank, Rank ranks,
                            const std::optional<PuSet>& binding) {
  NodePlacement own;
  try {
    look_around(environment, rank, ranks, binding, own);
  } catch (const std::bad_alloc&) {  // no reason to stay away from the exchange
    own.locality = {};
    own.trouble = "memory ran out";
  }
  return own;
}

std::vector<std::pair<std::string, bool>> own_resources(const Environment& environment, Rank rank,
                                                        Rank ranks,
                                                        const std::optional<PuSet>& binding) {
  const Result<Machine>& machine = machine_read_once(environment);
  const Result<Located> own = located(environment, rank, ranks, binding);
  std::vector<std::pair<std::string, bool>> resources;
  if (!machine || !own) return resources;
  for (const std::string& level : levels_of(machine.value())) {
    const std::vector<LevelPlace>& places = own.value().around.places;
    const bool is_in_one = std::any_of(places.begin(), places.end(), [&](const LevelPlace& place) {
      return place.level == level;
    });
    resources.emplace_back(type_of(level), is_in_one);
  }
  return resources;
}

}  // namespace terrace::communicators
