// SPDX-License-Identifier: BSD-3-Clause
// Team set-up: the ranks of a communicator decide together, by a few small collectives of the MPI,
// whether they become a team, and become it. A failure on one rank is a failure on all.
#pragma once

#include <memory>
#include <string>

#include "preload/setup/team.hpp"

namespace terrace::preload {

/// Why there is no team yet.
inline constexpr const char* kShortLife = "communicators before this one were short-lived";

/// Collective over the communicator. Null: no team; `why` then holds half a sentence. `may_wait`,
/// the same on all ranks: it may be `kShortLife`, if rank 0 thinks so.
std::unique_ptr<Team> agree_on_team(UnderlyingMpi& underlying, const CommState& comm_state,
                                    bool may_wait, std::string& why);

}  // namespace terrace::preload
