// SPDX-License-Identifier: BSD-3-Clause
// Turns a plan over inputs and outputs into one that runs: values that ranks share move to memory
// that peers can reach, and the waits that order all accesses are derived.
#pragma once

#include "plan/plan.hpp"

namespace terrace {

/// Lines:  every value read by a peer goes to a mailbox line of its writer. For vectors that fit
///         one line; needs a plan of one tile that writes no peer's output. Values that one step
///         makes, or that one rank brings, share lines, up to `pockets` in each.
/// Owner:  every user's buffer that a peer touches is exposed; each owner decides per call whether
///         peers touch the buffer itself or a copy in scratch. Step counts are the same.
/// A message stays a message in both; what is received and read by others on the node goes to where
/// they can read it.
/// `ring` is the number of scratch slots that successive strips go around (owner only).
/// Errors: `unsupported` where the plan is not fit for that lowering; `argument` for a bad shape.
Result<Plan> lower(const Plan& plan, Lowering lowering, std::uint32_t ring = 2,
                   std::uint32_t pockets = 1);

/// Derives the waits of a lowered plan from its reads and writes, replacing those it has. An access
/// of one rank waits for conflicting accesses of other ranks before it in statement order, in this
/// strip and in the strip that used the same ring slot, unless other waits imply it. Input and
/// output of a rank count as the same memory, so the waits hold in place as well.
void derive_waits(Plan& plan);

}  // namespace terrace
