// SPDX-License-Identifier: BSD-3-Clause
// A machine about which nothing is known but how many PUs this process may use.
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>

#include "api/placement.hpp"

namespace terrace {
namespace {

class FlatPlacement final : public Placement {
 public:
  explicit FlatPlacement(Rank ranks) : ranks_(ranks) {}

  void note(Rank) override {}
  Hierarchy hierarchy() const override { return flat_hierarchy(ranks_); }
  std::uint32_t usable_pus() const override {
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) == 0)
      return static_cast<std::uint32_t>(CPU_COUNT(&mask));
    return std::max(1u, std::thread::hardware_concurrency());
  }

 private:
  Rank ranks_;
};

}  // namespace

std::unique_ptr<Placement> make_flat_placement(Rank ranks) {
  return std::make_unique<FlatPlacement>(ranks);
}

#ifndef TERRACE_HAS_MACHINE
Result<std::unique_ptr<Placement>> make_placement(Rank ranks) {
  for (const char* variable : {"TERRACE_MACHINE", "TERRACE_NODES", "TERRACE_BIND"})
    if (const char* value = std::getenv(variable); value != nullptr && *value != '\0')
      return Error{ErrorCode::unsupported,
                   std::string(variable) +
                       " is set, but this library was built without hwloc and "
                       "knows no machines: unset it, or build with hwloc"};
  return make_flat_placement(ranks);
}
#endif

}  // namespace terrace
