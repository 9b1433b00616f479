// SPDX-License-Identifier: BSD-3-Clause
// Proves a lowered plan right from its text alone: under all circumstances that it cannot know, it
// ends, no two ranks touch the same memory unordered, every value is the right one, every buffer
// outlives its readers, and ranks whose calls differ hear of each other. Shares no code with the
// derivation of waits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plan/call_contract.hpp"
#include "plan/plan.hpp"
#include "plan/postcondition.hpp"

namespace terrace {

struct VerifyOptions {
  Rank root = 0;                     ///< in one of the circumstances it alone calls in place
  std::uint32_t line_slots = 16;     ///< how many mailbox lines a call may use
  std::uint32_t random_reaches = 4;  ///< mixes of direct and bounced ranks
  std::uint64_t seed = 1;            ///< of those mixes
};

/// A proof: what was shown, and under how much.
struct Proof {
  /// The order in which operands are combined: "0 + 1 + (2 + 3)". Equal texts give equal bits.
  /// Where tiles differ: "tile 0 to tile 1: ...; tile 2: ...". A single term where nothing is
  /// combined, "" where nothing is moved.
  std::string order;
  std::uint64_t order_id = 0;          ///< a hash of that text
  bool combines_in_rank_order = true;  ///< fit for operators that do not commute
  /// Per rank: returning implies that all others have entered the call.
  std::vector<bool> hears_all;
  /// Per rank: calls of one strip, bounced on all ranks, end on all others if it does no more than
  /// what comes before its first wait.
  std::vector<bool> starts_alone;

  std::uint64_t executions = 0;  ///< circumstances played
  std::uint64_t most_strips = 0;
  std::uint64_t aliasings = 0;          ///< different sets of ranks that call in place
  std::uint64_t reach_assignments = 0;  ///< different sets of ranks that are direct
  std::uint64_t accesses = 0;           ///< reads and writes that were checked for their order
};

/// Proves that `plan` establishes `postcondition`. The error is one sentence that names rank, step
/// and circumstances of the first fault found. Errors: argument (a bad shape, or not lowered),
/// unsupported (the plan is wrong, or it needs more lines than there are).
Result<Proof> verify(const Plan& plan, const Postcondition& postcondition,
                     const VerifyOptions& options = {});

/// Recomputes what contracts of `plan` may claim, and compares: a contract may be more cautious
/// than needed, but never less. The error names the rank and what its contract leaves out.
Result<bool> verify_contracts(const Plan& plan, std::span<const CallContract> contracts,
                              const VerifyOptions& options = {});

}  // namespace terrace
