// SPDX-License-Identifier: BSD-3-Clause
// Where this process is: asked of the operating system and of hwloc, or pretended.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/rank.hpp"
#include "communicators/record.hpp"
#include "machine/pretend.hpp"

namespace terrace::communicators {

/// Of the calling thread, whose binding is looked up each time; machine, host and network are read
/// once. `rank` and `ranks` are those of MPI_COMM_WORLD, by which TERRACE_NODES and TERRACE_BIND
/// place. Where memory runs out, that is the trouble.
NodePlacement own_placement(const Environment& environment, Rank rank, Rank ranks);

/// The types of resource that the machine has, and whether this rank is restricted to one of each.
std::vector<std::pair<std::string, bool>> own_resources(const Environment& environment, Rank rank,
                                                        Rank ranks);

}  // namespace terrace::communicators
