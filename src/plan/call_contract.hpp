// SPDX-License-Identifier: BSD-3-Clause
// Contracts: what a call leaves open when a rank returns from it. The executor enforces Invariant S
// by them: shared memory is rewritten only when all its readers are known to be done.
#pragma once

#include <vector>

#include "plan/plan.hpp"

namespace terrace {

struct CallContract {
  /// Returning implies that every other rank has entered the call, and so has finished all
  /// earlier ones.
  bool hears_all = false;
  /// Ranks that may still read this rank's scratch when it returns.
  std::vector<Rank> scratch_readers;
  /// For each line of this call: ranks that may still read this rank's line when it returns.
  std::vector<std::vector<Rank>> line_readers;
  /// All steps of this rank that peers await come before its first wait, in calls of one strip
  /// whose buffers are bounced on all ranks. So a rank that has started the call owes its peers
  /// nothing more, even if it does not go on.
  bool starts_alone = false;

  bool operator==(const CallContract&) const = default;
};

/// One contract per rank, computed from the plan's waits alone.
std::vector<CallContract> contracts_of(const Plan& plan);
/// Whether all of them say that their rank starts alone.
bool all_start_alone(const Plan& plan);
/// Computes the contract of one rank, which needs no other waits than its own and those of others
/// for it.
CallContract contract_of(const Plan& plan, Rank rank);

}  // namespace terrace
