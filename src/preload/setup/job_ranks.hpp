// SPDX-License-Identifier: BSD-3-Clause
// Whether the ranks of this job on this node have Terrace, as /proc shows. Checked before each team
// set-up: a rank without Terrace would never take part, and the others would wait for it forever.
// See docs/design/process-teams.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "os/job.hpp"
#include "preload/mpi/underlying_mpi.hpp"

namespace terrace::preload {

/// The signs that a rank's processes show. A rank may have several: a shell around the program also
/// has its variables, but no MPI.
enum class Presence : std::uint8_t {
  no_mpi,   ///< no visible process has loaded an MPI
  without,  ///< the process with an MPI has no Terrace
  with,     ///< it has Terrace, and has not looked at its peers yet
  shut_in,  ///< it has Terrace, and may not see all its peers
  sighted,  ///< it has Terrace, and sees its peers
};
using Presences = std::map<int, Presence>;  ///< by rank

/// The ranks of the job of process `own`; empty if unknown.
Presences presences_in(std::span<const SeenProcess> processes, std::int64_t own, Launcher launcher);

/// The ranks of that job whose processes started with this variable set to on.
std::set<int> ranks_told(const char* name, std::span<const SeenProcess> processes, std::int64_t own,
                         Launcher launcher);

/// Presence of a rank, as the mappings of its process show it.
Presence presence_in(const std::string& mappings);

/// The first of these ranks with this presence.
std::optional<int> first_of(std::span<const int> ranks, Presence presence, const Presences& seen);

/// Why these ranks of MPI_COMM_WORLD, this process among them, will not all join a team set-up:
/// half a sentence; "" if they will, or the launcher is not known. A rank without Terrace, or one
/// that does not see the others, is named once to the user. Waits for ranks with Terrace that have
/// not looked yet: they look when they come to the same call.
///
/// All ranks with Terrace find the same, whenever they look:
/// - If all have Terrace, each of them is seen with it. It has been through MPI_Init, so its
///   libraries are mapped; and it cannot end before all have looked, as all then take part in the
///   set-up.
/// - If one rank has not, no rank ever sees it with Terrace, whether it still runs or not.
/// - Seeing need not be mutual. What one cannot see, none uses: each rank shows whether peers may
///   be hidden from it (peer_visibility.hpp). One that is shut in does not join. Who cannot see
///   that rank, or sees that it is shut in, does not either; who sees it before it has looked
///   waits, for ten seconds at most, and only once: it goes on as if that rank were not shut in,
///   and what is true of that for one set-up is for all. If no rank shows that it is shut in, each
///   sees all others.
/// - Processes in other namespaces count as unseen, on both sides.
std::string absence_among(UnderlyingMpi& underlying, std::span<const int> ranks, int own_rank);

/// Looks at the ranks of this job when this one first starts a call, and not only when it sets up a
/// team: peers that are ahead then need not wait for it.
void look_early(UnderlyingMpi& underlying);

/// Whether, of a call that ranks of several nodes make together, one of these ranks is seen
/// not to join it. Ranks on other nodes cannot be seen, and are assumed to have Terrace.
bool is_one_without(std::span<const int> ranks, int own_rank, Abi abi);

/// Whether one of these ranks cannot be seen on this node. False if the launcher is not known.
bool are_elsewhere(std::span<const int> ranks, Abi abi);

/// Whether each of these ranks of MPI_COMM_WORLD started with this variable set to on: "" if so, or
/// if the launcher is not known; else half a sentence that names the first rank that did not. All
/// ranks find the same: a process's initial environment does not change.
std::string who_is_not_told(const char* name, std::span<const int> ranks, Abi abi);

/// Whether a rank of this job on this node started with TERRACE_ACROSS_NODES on, which promises
/// that all ranks of the job have Terrace, or its launcher tells so. All ranks of the node find the
/// same, so those that are without the variable, or have it off, come as well, and tell the others
/// so.
bool is_promised_across_nodes(Abi abi);

/// Words of `absence_among` for ranks that cannot be seen, as they are elsewhere.
inline constexpr const char* kSeveralNodes = "its ranks are on several nodes or containers";

/// Whether `absence_among` says that a rank does not see others, which may have Terrace all the
/// same.
bool is_for_want_of_sight(const std::string& why);

}  // namespace terrace::preload
