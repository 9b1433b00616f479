// SPDX-License-Identifier: BSD-3-Clause
// A process that a rank has forked. It has a copy of all that ranks share, so what it would send
// reaches no other rank, and what it would wait for never comes.
#pragma once

#include <optional>

#include "threadranks/ranks/rank_state.hpp"

namespace terrace::threadranks {

/// The state of MPI in the rank that has forked this process; nothing: this is no such process, or
/// a child of the only rank, whose calls need no other.
std::optional<MpiPhase> phase_of_parent() noexcept;

/// Why calls that need others fail there.
inline constexpr const char* kObstacleInChild =
    "only the rank itself takes part in MPI, not a process that it has forked";

}  // namespace terrace::threadranks
