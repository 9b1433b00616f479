// SPDX-License-Identifier: BSD-3-Clause
// Asking the operating system where we are.
#include "communicators/whereabouts.hpp"

#include <unistd.h>

#include <fstream>

#include "machine/binding.hpp"

namespace terrace::communicators {
namespace {

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

/// Differs after each start of the kernel, and so between hosts of the same name; empty where there
/// is no such file.
std::string boot_id() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id;
}

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

/// Of all ranks of the job where they are pretended, as their places depend on each other.
Result<Locality> own_locality(const Environment& environment, Rank rank, Rank ranks) {
  const Result<Machine>& machine = machine_read_once(environment);
  if (!machine) return machine.error();
  if (machine.value().is_this_machine && !is_set(environment, "TERRACE_NODES") &&
      !is_set(environment, "TERRACE_BIND")) {
    const Result<PuSet> binding = binding_of_this_thread();
    if (!binding) return binding.error();
    return locality_of(machine.value(), binding.value(), 0);
  }
  const Result<std::vector<Locality>> all = localities_on(machine.value(), environment, ranks);
  if (!all) return all.error();
  return all.value()[rank];
}

}  // namespace

Whereabouts own_whereabouts(const Environment& environment, Rank rank, Rank ranks) {
  static const std::uint64_t host = hash_of(host_name() + '\n' + boot_id());
  Whereabouts own;
  own.host = host;
  own.node = host;
  own.settings = hash_of(settings_text(environment));
  Result<Locality> locality = own_locality(environment, rank, ranks);
  if (!locality) {
    own.trouble = locality.error().sentence;
    return own;
  }
  own.locality = std::move(locality).value();
  if (is_set(environment, "TERRACE_NODES"))
    own.node = hash_of("pretended " + std::to_string(own.locality.places.front().index));
  return own;
}

}  // namespace terrace::communicators
