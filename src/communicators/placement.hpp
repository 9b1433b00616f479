// SPDX-License-Identifier: BSD-3-Clause
// Where this process is: asked of the operating system and of hwloc, or pretended.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/rank.hpp"
#include "communicators/record.hpp"
#include "machine/pretend.hpp"
#include "os/pu_set.hpp"

namespace terrace::communicators {

/// The place of the calling thread, whose binding is looked up each time, unless `binding` says
/// what it is; machine, host and network are read once. `rank` and `ranks` are those of
/// MPI_COMM_WORLD, which TERRACE_NODES and TERRACE_BIND refer to. If memory runs out, that is the
/// record's trouble.
NodePlacement own_placement(const Environment& environment, Rank rank, Rank ranks,
                            const std::optional<PuSet>& binding = std::nullopt);

/// The types of resource that the machine has, and whether this rank is restricted to one of each.
std::vector<std::pair<std::string, bool>> own_resources(
    const Environment& environment, Rank rank, Rank ranks,
    const std::optional<PuSet>& binding = std::nullopt);

}  // namespace terrace::communicators
