// SPDX-License-Identifier: BSD-3-Clause
// Pretended machines: three variables make Terrace believe that it runs elsewhere, so that one can
// see, test and simulate on a laptop what it would do on a big machine. Nothing is moved: only
// Terrace's view changes. A pretended machine is always announced.
//
//   TERRACE_MACHINE  the machine: a line in hwloc's words, or a file that `lstopo FILE.xml` wrote
//   TERRACE_NODES    the nodes: "2" splits the ranks in 2 blocks, "4,4,2" says how many each has
//   TERRACE_BIND     the bindings: a level of the machine ("core", "pu", "l3", "numa", "package"),
//                    "none", or PUs for each rank, as in "0,1,2-3,8+9,none"
//
// Under a level, the ranks of a node take its cores in order, from 0 again when they run out, and
// are bound to the resource of that level around their core ("pu": they take PUs in order). A list
// has one entry per rank of the job, by the operating system's numbers of the rank's own node.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/locality.hpp"
#include "base/rank.hpp"
#include "base/result.hpp"
#include "machine/machine.hpp"

namespace terrace {

/// Looks up a variable by name; nothing if it is not set. An empty variable counts as not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// The environment of this process.
Environment process_environment();

/// "terrace: pretending to be on the machine "pack:2 core:4 pu:1" because TERRACE_MACHINE is set",
/// the same for nodes and bindings; "" if nothing is pretended. To be shown once per job.
std::string announcement_of(const Environment&);

/// The machine of TERRACE_MACHINE, else this one. Errors: those of the reading functions, with the
/// name of the variable.
Result<Machine> machine_of(const Environment&);

/// Returns where rank `rank` of `rank_count` is on the machine of `machine_of`: pretended if
/// variables are set. Otherwise the binding of the calling thread, on node 0 (only MPI knows the
/// real nodes; with a real node, call `locality_of`). On a pretended machine without TERRACE_BIND,
/// ranks are bound to cores. Errors: argument, naming the variable; system.
Result<Locality> locality_of_rank(const Machine&, const Environment&, Rank rank, Rank rank_count);

/// Locates all ranks, on the machine that this reads: entry `i` belongs to rank `i`.
Result<std::vector<Locality>> localities_of_ranks(const Environment&, Rank rank_count);

/// Locates all ranks on a machine that has been read already, by one of the functions that find
/// places.
using Locate = Locality(const Machine&, const PuSet& binding, std::uint64_t node_index);
Result<std::vector<Locality>> localities_on(const Machine&, const Environment&, Rank rank_count,
                                            Locate* locate = locality_of);

}  // namespace terrace
