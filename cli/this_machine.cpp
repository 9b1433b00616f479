// SPDX-License-Identifier: BSD-3-Clause
// Asks hwloc, the system and the clock.
#include "this_machine.hpp"

#include <ctime>

#include "os/binding.hpp"

namespace terrace {

std::vector<measure::CoreAt> usable_cores_of(const Machine& machine, const PuSet& usable) {
  std::vector<measure::CoreAt> cores;
  for (const Resource* core : resources_at(machine, "core"))
    if (const PuSet pus = core->pus & usable; !pus.empty())
      cores.push_back({pus.first(), locality_of(machine, PuSet{pus.first()}, 0)});
  return cores;
}

Result<std::vector<measure::CoreAt>> usable_cores(const Machine& machine) {
  const Result<PuSet> usable = binding_of_this_process();
  if (!usable) return usable.error();
  return usable_cores_of(machine, usable.value());
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", gmtime_r(&now, &parts));
  return text;
}

}  // namespace terrace
