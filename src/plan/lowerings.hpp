// SPDX-License-Identifier: BSD-3-Clause
// The two lowerings that `lower` chooses between, and what they have in common. Neither derives
// waits. Only for the files of this folder.
#pragma once

#include <string>

#include "base/contract.hpp"
#include "plan/plan.hpp"

namespace terrace {

/// Each write of a block makes a new version of it; a version that a peer reads gets a pocket of a
/// line, which has `pockets` of them, or as many as are ever used.
Result<Plan> lower_to_lines(const Plan& plan, std::uint32_t pockets);

/// A user's block that any peer touches becomes an exposure at every rank.
Result<Plan> lower_to_owner(const Plan& plan, std::uint32_t ring);

/// A rank that sends ends with a hold, since messages must have gone when it returns.
void hold_for_messages(Plan& plan);

/// All of a plan but its steps.
Plan without_steps(const Plan& plan);

inline bool is_users(const Region& region) {
  return region.buffer == Buffer::input || region.buffer == Buffer::output;
}

inline bool share_tiles(const Region& one, const Region& other) {
  TERRACE_ASSERT(one.tile_count != 0 && other.tile_count != 0);
  return one.first_tile < other.first_tile + other.tile_count &&
         other.first_tile < one.first_tile + one.tile_count;
}

inline Error unsupported(const Plan& plan, const std::string& why) {
  return {ErrorCode::unsupported, "plan " + plan.name + " " + why};
}

}  // namespace terrace
