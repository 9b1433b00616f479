// SPDX-License-Identifier: BSD-3-Clause
// Watches the machine for an endpoint: measures the costs between the team's ranks at the first
// call, and checks them again after some time of calls if ranks can move to other cores. All ranks
// do so in the same calls.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "choose/chooser.hpp"
#include "measure/team_probe.hpp"

namespace terrace {

class MachineWatch {
 public:
  /// Collectives of the endpoint's own, which must not look in turn.
  struct Calls {
    measure::Tell tell;             ///< everybody has what was told when it returns
    std::function<bool()> barrier;  ///< everybody has come
  };

  MachineWatch(const TeamMemory& memory, Rank rank, const Hierarchy& hierarchy,
               std::function<bool(std::size_t bytes)> allocate_scratch, const TeamTraits& traits,
               bool can_move);

  /// A call is over that was predicted to take so long.
  void ran(double predicted_ns) { left_ns_ -= predicted_ns; }
  /// Whether the next call is to look first.
  bool is_due() const { return left_ns_ < 0; }

  /// The machine that choices are to be made for from now on, as an index into `seen`; nothing if
  /// it is as before, or could not be found out. All ranks call it in the same call, and hear the
  /// same.
  std::optional<std::size_t> look(const Calls& calls);
  const model::MachineCosts& costs_of(std::size_t number) const { return seen_[number].costs; }
  /// What the leader's tuning says of such a team on that machine.
  const std::vector<TunedRow>& tuned_on(std::size_t number) const { return seen_[number].tuned; }

 private:
  /// A machine, and what signals took when it was first seen.
  struct Seen {
    std::vector<double> signals;
    model::MachineCosts costs;
    std::vector<TunedRow> tuned;
  };
  std::optional<std::size_t> seen_before(const std::vector<double>& signals) const;
  std::optional<std::vector<TunedRow>> tuned(const std::vector<double>& signals,
                                             const measure::Tell& tell) const;

  Rank rank_;
  TeamTraits traits_;
  measure::TeamProbe probe_;
  bool can_move_;
  double left_ns_ = -1;                    ///< predicted time until the next look
  double between_looks_ns_ = 20e6;         ///< of which a look of 10 us is 0.05 %
  std::vector<Seen> seen_;                 ///< by this team; the same on all ranks
  std::size_t current_ = ~std::size_t{0};  ///< of these
};

/// What TERRACE_MEASURE says, which is yes unless it says no.
bool is_measuring_wanted();
/// Likewise TERRACE_TRIALS, for who has no underlying MPI.
bool are_trials_wanted();

/// Whether this is a virtual machine, whose cores may be others from one moment to the next.
bool is_virtual_machine();

}  // namespace terrace
