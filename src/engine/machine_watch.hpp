// SPDX-License-Identifier: BSD-3-Clause
// Watches the machine for an endpoint: measures the costs between the team's ranks at the first
// call, unless three measurements of them are known, and checks them again after some time of calls
// if ranks can move to other cores. All ranks do so in the same calls.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "choose/chooser.hpp"
#include "engine/machine_record.hpp"
#include "measure/team_probe.hpp"

namespace terrace {

class MachineWatch {
 public:
  /// The endpoint's own collectives, which must not check the machine themselves.
  struct Calls {
    measure::Tell tell;             ///< returns when all ranks have what was told
    std::function<bool()> barrier;  ///< returns when all ranks have arrived
  };

  MachineWatch(const TeamMemory& memory, Rank rank, const Hierarchy& hierarchy,
               std::function<bool(std::size_t bytes)> allocate_scratch, const TeamTraits& traits,
               bool can_move, const MachineStart& start);

  /// Adds the predicted time of a finished call.
  void ran(double predicted_ns) { left_ns_ -= predicted_ns; }
  /// Whether the next call must check the machine first.
  bool is_due() const { return left_ns_ < 0; }

  /// The machine that choices are to be made for from now on, as an index into `seen`; nothing if
  /// it is unchanged, or could not be determined. All ranks call it in the same call, and get the
  /// same result.
  std::optional<std::size_t> look(const Calls& calls);
  /// The machine that choices are to be made for from the beginning.
  std::optional<std::size_t> first_machine() const {
    return seen_.empty() ? std::nullopt : std::optional<std::size_t>(0);
  }
  const model::MachineCosts& costs_of(std::size_t number) const {
    return seen_[number].machine.costs;
  }
  /// The leader's tuning for such a team on that machine.
  const std::vector<TunedRow>& tuned_on(std::size_t number) const { return seen_[number].tuned; }

 private:
  struct Seen {
    SeenMachine machine;
    std::vector<TunedRow> tuned;
  };
  const SeenMachine& machine() const { return seen_[current_].machine; }
  bool is_possible();
  /// Whether that machine's costs need not be measured anew.
  bool is_settled(std::size_t number) const;
  std::optional<std::size_t> look_now(const Calls& calls);
  std::optional<std::size_t> seen_before(const std::vector<double>& signals) const;
  std::optional<std::vector<TunedRow>> tuned(const std::vector<double>& signals,
                                             const measure::Tell& tell) const;
  std::optional<std::size_t> see(std::vector<double> signals, const Calls& calls);
  model::MachineCosts median_with_earlier_doubtful(model::MachineCosts costs,
                                                   const std::vector<double>& signals) const;
  void try_again_soon();

  Rank rank_;
  TeamTraits traits_;
  bool can_move_;
  std::shared_ptr<MachineRecord> record_;
  /// Makes `probe_`, which most teams of a process that makes many never need.
  std::function<std::unique_ptr<measure::TeamProbe>()> make_probe_;
  std::unique_ptr<measure::TeamProbe> probe_;
  double left_ns_ = -1;                    ///< predicted time until the next check
  double between_looks_ns_ = 20e6;         ///< a check of 10 us is 0.05 % of it
  double between_tries_ns_ = 1e6;          ///< after one that was disturbed
  double between_doubts_ns_ = 0.1e6;       ///< after one that is doubtful: some hundred short calls
  std::vector<Seen> seen_;                 ///< by this team; the same on all ranks
  std::size_t current_ = ~std::size_t{0};  ///< of these
  bool was_disturbed_ = false;             ///< the last look
};

/// The switch TERRACE_MEASURE, on by default.
bool is_measuring_wanted();
/// The switch TERRACE_TRIALS, for callers without an underlying MPI.
bool are_trials_wanted();

/// Whether this is a virtual machine, whose cores may change at any time.
bool is_virtual_machine();

}  // namespace terrace
