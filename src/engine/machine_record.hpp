// SPDX-License-Identifier: BSD-3-Clause
// What the teams of a process have last seen of the machine between the same cores. A new team
// begins with it instead of looking by itself: programs make many communicators, and beside other
// programs a look takes as long as these have the cores.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "choose/tuning.hpp"
#include "hierarchy/hierarchy.hpp"
#include "model/machine_costs.hpp"
#include "os/pu_set.hpp"

namespace terrace {

/// A machine as ranks see it.
struct SeenMachine {
  std::vector<double> signals;  ///< ns when it was first seen, by distance, from near to far
  model::MachineCosts costs;
  bool is_doubtful = false;  ///< something else ran while the costs were measured
};

/// Two ranks that measure a distance for their team.
struct WatchedPair {
  std::string level;  ///< the innermost that both are in
  PuSet first, second;

  bool operator==(const WatchedPair&) const = default;
};

/// Safe to use from many threads.
class MachineRecord {
 public:
  struct Beginning {
    std::optional<SeenMachine> seen;
    bool looks = true;  ///< at its first call
  };

  /// Begins a team that is founded at this time. Of many teams, one looks now and then: cores of
  /// virtual machines move, and what was seen once may have been disturbed.
  Beginning begin_team(double now_ns);
  /// Notes what a team has seen, from `begin_ns` to `end_ns`; nothing: it was disturbed.
  void note(const std::optional<SeenMachine>& seen, double begin_ns, double end_ns);

  /// The record of teams whose distances these pairs measure.
  static std::shared_ptr<MachineRecord> between(const std::vector<WatchedPair>& pairs);

 private:
  std::mutex mutex_;  ///< guards what follows
  std::optional<SeenMachine> seen_;
  double next_look_ns_ = 0;
  double between_tries_ns_ = 0;  ///< after the last look, if that was disturbed
};

/// A team's knowledge of the machine when it is founded.
struct MachineStart {
  std::shared_ptr<MachineRecord> record;  ///< null: nothing is kept
  std::optional<SeenMachine> seen;
  std::vector<TunedRow> tuned;  ///< for that machine
  bool looks = true;            ///< at its first call
};

/// Makes it for a team of threads that all have arrived, with their bindings; called once, for all
/// of them.
MachineStart machine_start(const Hierarchy& hierarchy, const std::vector<PuSet>& bindings,
                           const TeamTraits& traits);

}  // namespace terrace
