// SPDX-License-Identifier: BSD-3-Clause
// Ranks that join, and ranks that cannot go on.
#include "api/entry.hpp"

#include <optional>
#include <string>

#include "engine/signature.hpp"

namespace terrace {

terrace_status busy(int rank) noexcept {
  return fail(TERRACE_ERR_ARGUMENT,
              "rank %d is in a call already: give each thread a rank of its "
              "own, as omp_get_thread_num() does",
              rank);
}

terrace_status of_another_thread(int rank) noexcept {
  return fail(TERRACE_ERR_ARGUMENT,
              "another thread has started calls as rank %d, and has not waited for them: it must "
              "do that first",
              rank);
}

terrace_status broken(ThreadTeam& team, Rank rank,
                      const TeamWaitEnvironment& wait_environment) noexcept {
  team.leave_broken(rank);
  if (const std::optional<CallMismatch>& mismatch = wait_environment.mismatch())
    return fail(
        TERRACE_ERR_BROKEN,
        "%s: all ranks must make the same call; destroy the team, and find the call with "
        "the option checks_calls",
        to_text(*mismatch, "rank " + std::to_string(rank), "rank " + std::to_string(mismatch->peer))
            .c_str());
  return fail(TERRACE_ERR_BROKEN,
              "rank %u found a line of a later call: the ranks made different "
              "calls; destroy the team, and find the call with the option "
              "checks_calls",
              rank);
}

terrace_status join(terrace_team* team, int rank) {
  const Result<bool> joined = team->threads.join(static_cast<Rank>(rank));
  return joined ? TERRACE_OK : fail(joined.error(), TERRACE_ERR_BROKEN);
}

}  // namespace terrace
