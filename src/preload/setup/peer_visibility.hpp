// SPDX-License-Identifier: BSD-3-Clause
// Shows a rank's peers whether it sees them, so that all decide alike: who sees them need not be
// seen by them, since the kernel lets a process look only into those with no more capabilities than
// its own, and in no other sandbox.
//
// This is shown where a peer that sees this rank looks anyway, in /proc/PID/maps: by pages of this
// library that may be written and not read, which no loader makes. That takes no file descriptor,
// no name and no permission. See docs/design/process-teams.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "os/job.hpp"

namespace terrace::preload {

enum class PeerVisibility : std::uint8_t {
  unknown,  ///< it has not looked yet
  shut_in,  ///< peers may be hidden from it: it joins no team set-up
  clear,    ///< it sees all of its job that see it
};

/// Shows whether this process sees its peers, once: later calls change nothing. Returns what is
/// shown.
PeerVisibility show_visibility(PeerVisibility own);

/// Reads from a process's mappings what it shows.
PeerVisibility visibility_in(std::string_view mappings);

/// Whether peers of `own` may be hidden from it. Those that would be are below the same launcher,
/// or are the launcher: so it looks at its ancestors up to the first that is not of its rank, and
/// at that one's children. Others of this user may be hidden from all.
bool is_shut_in(std::span<const SeenProcess> processes, std::int64_t own);

}  // namespace terrace::preload
