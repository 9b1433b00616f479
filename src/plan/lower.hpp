// SPDX-License-Identifier: BSD-3-Clause
// Turns a plan over inputs and outputs into one that runs: values that ranks share move to memory
// that peers can reach, and the waits that order all accesses are derived.
#pragma once

#include <optional>

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
/// `most_lines`: a plan that needs more is refused before waits are derived.
/// Errors: `unsupported` where the plan is not fit for that lowering; `argument` for a bad shape.
/// Waits are derived by pairs for more than `kMostRanksTogether` ranks on one node.
Result<Plan> lower(const Plan& plan, Lowering lowering, std::uint32_t ring = 2,
                   std::uint32_t pockets = 1, std::uint32_t most_lines = ~std::uint32_t{0});

/// Up to this many ranks, a wait may be implied by all that other ranks know. To follow that takes
/// work and memory that grow with the cube of the ranks.
inline constexpr Rank kMostRanksTogether = 128;

/// Lowers for one rank alone: no waits but its own and those of others for it, by pairs, whatever
/// the number of ranks. Good for `program_of` that rank. Not with messages.
Result<Plan> lower_for(Rank rank, const Plan& plan, Lowering lowering, std::uint32_t ring,
                       std::uint32_t pockets, std::uint32_t most_lines);

/// Derives the waits of a lowered plan from its reads and writes, replacing those it has. An access
/// of one rank waits for conflicting accesses of other ranks before it in statement order, in this
/// strip and in the strip that used the same ring slot, unless other waits imply it. Input and
/// output of a rank count as the same memory, so the waits hold in place as well.
void derive_waits(Plan& plan);

/// Derives waits by pairs: a wait is implied only by what its own rank has awaited before, not by
/// what those ranks knew, so the waits between two ranks follow from the accesses of the two. There
/// are a few more of them. `only`: those of that rank, and those of others for it. Not with
/// messages.
void derive_waits_by_pairs(Plan& plan, std::optional<Rank> only = {});

}  // namespace terrace
