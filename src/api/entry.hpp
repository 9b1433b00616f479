// SPDX-License-Identifier: BSD-3-Clause
// What the functions of the C library that take a team and a rank share.
#pragma once

#include "api/failures.hpp"
#include "api/started_calls.hpp"
#include "api/thread_team.hpp"
#include "terrace/terrace.h"

struct terrace_team final {
  terrace::ThreadTeam threads;
};

namespace terrace {

/// Another thread is in a call as this rank.
[[gnu::cold]] terrace_status busy(int rank) noexcept;

/// Another thread has calls of this rank pending.
[[gnu::cold]] terrace_status of_another_thread(int rank) noexcept;

/// A call of the rank on that team's memory went wrong, after which the rank makes no other.
[[gnu::cold]] terrace_status broken(ThreadTeam& team, Rank rank,
                                    const TeamWaitEnvironment& wait_environment) noexcept;

[[gnu::cold]] terrace_status join(terrace_team* team, int rank);

}  // namespace terrace
