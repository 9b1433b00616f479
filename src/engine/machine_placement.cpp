// SPDX-License-Identifier: BSD-3-Clause
// Places ranks on the machine that hwloc finds, or on the one that the environment pretends.
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/placement.hpp"
#include "machine/machine.hpp"
#include "machine/pretend.hpp"

namespace terrace {
namespace {

/// Null if hwloc finds nothing; ranks then share a node of unknown structure.
const Machine* this_machine() {
  static const Result<Machine> machine = read_this_machine();
  return machine ? &machine.value() : nullptr;
}

void announce_once(const std::string& announcement) {
  static std::once_flag once;
  std::call_once(once, [&] { std::fprintf(stderr, "%s\n", announcement.c_str()); });
}

class MachinePlacement final : public Placement {
 public:
  MachinePlacement(Rank ranks, std::vector<Locality> pretended)
      : Placement(ranks), pretended_(std::move(pretended)) {}

  Hierarchy hierarchy() const override {
    if (!pretended_.empty()) return hierarchy_of(pretended_);
    const Machine* machine = this_machine();
    if (machine == nullptr) return Placement::hierarchy();
    std::vector<Locality> localities;
    for (const PuSet& binding : bindings()) localities.push_back(locality_of(*machine, binding, 0));
    return hierarchy_of(localities);
  }

 private:
  std::vector<Locality> pretended_;  ///< empty: nothing is pretended
};

}  // namespace

Result<std::unique_ptr<Placement>> make_placement(Rank ranks) {
  const Environment environment = process_environment();
  const std::string announcement = announcement_of(environment);
  std::vector<Locality> pretended;
  if (!announcement.empty()) {
    Result<std::vector<Locality>> localities = localities_of_ranks(environment, ranks);
    if (!localities) return localities.error();
    announce_once(announcement);
    pretended = std::move(localities).value();
  } else if (ranks > 1) {
    this_machine();  // now, by one thread, rather than when all have joined
  }
  return std::unique_ptr<Placement>(
      std::make_unique<MachinePlacement>(ranks, std::move(pretended)));
}

}  // namespace terrace
