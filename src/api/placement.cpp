// SPDX-License-Identifier: BSD-3-Clause
// Placement on the machine that hwloc sees, or on the one that the environment pretends.
#include "api/placement.hpp"

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "machine/binding.hpp"
#include "machine/machine.hpp"
#include "machine/pretend.hpp"
#include "machine/quota.hpp"

namespace terrace {
namespace {

/// Null if hwloc finds nothing; ranks then share a node that nobody knows more about.
const Machine* this_machine() {
  static const Result<Machine> machine = read_this_machine();
  return machine ? &machine.value() : nullptr;
}

void announce_once(const std::string& announcement) {
  static std::once_flag once;
  std::call_once(once, [&] { std::fprintf(stderr, "%s\n", announcement.c_str()); });
}

/// Bindings are the real ones in any case: pretending moves nobody, so it frees no core either.
class BoundPlacement final : public Placement {
 public:
  BoundPlacement(Rank ranks, std::vector<Locality> pretended)
      : bindings_(ranks), pretended_(std::move(pretended)), quota_(cpu_quota()) {}

  void note(Rank rank) override {
    if (Result<PuSet> binding = binding_of_this_thread())
      bindings_[rank] = std::move(binding).value();
  }

  Hierarchy hierarchy() const override {
    if (!pretended_.empty()) return hierarchy_of(pretended_);
    const Machine* machine = this_machine();
    if (machine == nullptr) return flat_hierarchy(static_cast<Rank>(bindings_.size()));
    std::vector<Locality> localities;
    for (const PuSet& binding : bindings_) localities.push_back(locality_of(*machine, binding, 0));
    return hierarchy_of(localities);
  }

  std::uint32_t usable_pus() const override {
    PuSet all;
    for (const PuSet& binding : bindings_) all.insert(binding);
    if (all.empty()) return make_flat_placement(0)->usable_pus();  // no binding could be read
    return terrace::usable_pus(all.count(), quota_);
  }

 private:
  std::vector<PuSet> bindings_;      ///< entry i is written by rank i
  std::vector<Locality> pretended_;  ///< empty: nothing is pretended
  Quota quota_;
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
  return std::unique_ptr<Placement>(std::make_unique<BoundPlacement>(ranks, std::move(pretended)));
}

}  // namespace terrace
