// SPDX-License-Identifier: BSD-3-Clause
// Bindings of threads, and the placement that follows from them without knowledge of the machine.
#include "engine/placement.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>

#include "os/binding.hpp"

namespace terrace {

Placement::Placement(Rank ranks) : bindings_(ranks), quota_(cpu_quota()) {}

void Placement::note(Rank rank) {
  if (Result<PuSet> binding = binding_of_this_thread())
    bindings_[rank] = std::move(binding).value();
}

Hierarchy Placement::hierarchy() const {
  return flat_hierarchy(static_cast<Rank>(bindings_.size()));
}

std::uint32_t Placement::usable_pus() const {
  PuSet all;
  for (const PuSet& binding : bindings_) all.insert(binding);
  return terrace::usable_pus(all.empty() ? std::thread::hardware_concurrency() : all.count(),
                             quota_);
}

bool Placement::are_free_to_move() const {
  return std::any_of(bindings_.begin(), bindings_.end(),
                     [](const PuSet& binding) { return binding.count() != 1; });
}

#ifndef TERRACE_HAS_MACHINE
Result<std::unique_ptr<Placement>> make_placement(Rank ranks) {
  for (const char* variable : {"TERRACE_MACHINE", "TERRACE_NODES", "TERRACE_BIND"})
    if (const char* value = std::getenv(variable); value != nullptr && *value != '\0')
      return Error{ErrorCode::unsupported,
                   std::string(variable) +
                       " is set, but this library was built without hwloc and "
                       "knows no machines: unset it, or build with hwloc"};
  return std::make_unique<Placement>(ranks);
}
#endif

}  // namespace terrace
