// SPDX-License-Identifier: BSD-3-Clause
// Plans that users have written: reads them, finds the call that they are for, and proves them.
#pragma once

#include <string>

#include "collectives/collectives.hpp"
#include "plan/plan.hpp"
#include "refusals.hpp"
#include "verify/verify.hpp"

namespace terrace {

/// "lines", "owner" or "none".
const char* name_of(Lowering lowering);

/// "lines" or "owner" as --lower has them; none for "". Refuses as `verb` does.
Lowering lowering_from(const std::string& text, const Verb& verb);

/// Refuses what is no file at all, and, in the second, no file with a plan.
void check_is_file(const std::string& path, const Verb& verb);
Plan plan_in_file(const std::string& path, const Verb& verb);

/// Returns what the plan is to do: `given`, or else the first word of its name.
Collective collective_of(const Plan& plan, const std::string& given, const Verb& verb);

/// One way to run a plan: what was proved, or why not.
struct PlanVerdict {
  Lowering lowering = Lowering::none;
  bool is_possible = true;  ///< false: the plan is not fit for this lowering
  std::string complaint;
  Proof proof;
};

/// Proves that a lowered plan does what its collective, or the postcondition, says. Says on
/// standard error if that takes long.
PlanVerdict judge(const Plan& lowered, Collective collective, Rank root, const Verb& verb);
PlanVerdict judge(const Plan& lowered, const Postcondition& wanted, Rank root, const Verb& verb);

}  // namespace terrace
