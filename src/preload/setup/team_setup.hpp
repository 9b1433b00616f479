// SPDX-License-Identifier: BSD-3-Clause
// Team set-up: the ranks of a communicator decide together, by a few small collectives of the MPI,
// whether they become a team, and become it. A failure on one rank is a failure on all.
#pragma once

#include <memory>
#include <string>

#include "preload/setup/comm_state.hpp"

namespace terrace::preload {

/// Why there is no team yet.
inline constexpr const char* kShortLife = "communicators before this one were short-lived";
inline constexpr const char* kByStarts = "the team is set up by nonblocking calls";

/// The agreement of ranks: nothing, a team of all of them, or one team for each node.
struct Agreement {
  std::unique_ptr<Team> team;  ///< null as well where a rank is alone on its node
  std::unique_ptr<MultiNodeCommunicator> over_nodes;  ///< only if there are several
  std::unique_ptr<PlanOverNodes> plan_over_nodes;     ///< only if the user wants one
};

/// Collective over the communicator. Nothing: no team; `why` then holds half a sentence.
/// It may be `kByStarts`, on ranks that have not begun to, too; and if `may_wait`, the same on all
/// ranks, `kShortLife`, if rank 0 thinks so.
Agreement agree_on_team(UnderlyingMpi& underlying, const CommState& comm_state, bool may_wait,
                        std::string& why);

}  // namespace terrace::preload
