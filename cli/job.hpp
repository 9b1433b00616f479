// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a job that runs on this node, with their actual bindings.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/locality.hpp"
#include "machine/machine.hpp"
#include "refusals.hpp"

namespace terrace {

/// Advice to the user of a job whose ranks cannot be seen.
inline constexpr const char* kSayHowRanksAreBound =
    "say how the ranks are bound, and on which nodes, by --ranks, --bind and --nodes, as in "
    "--ranks 8 --bind core --nodes 2";

/// Returns where the ranks are of the job that process `number`, or one below it, belongs to: entry
/// `i` belongs to rank `i`. Throws as verbs do (subcommands.hpp).
std::vector<Locality> localities_of_job(const Machine&, std::int64_t number, const Verb& verb);

/// Whether this process is a rank of a job whose ranks this node could show.
bool is_in_a_job();

/// Whether the job of this process has ranks on other nodes, as its launcher says.
bool is_on_several_nodes(const Verb& verb);

/// Does what `localities_of_job` does for the job of this process, once all its ranks have started
/// this command or a program with an MPI. Only rank 0 gets the localities; the others wait until it
/// has read theirs, and get nothing. No rank waits longer than half a minute.
std::optional<std::vector<Locality>> localities_of_this_job(const Machine&, const Verb& verb);

}  // namespace terrace
