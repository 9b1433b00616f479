// SPDX-License-Identifier: BSD-3-Clause
// Liveness: which ranks of this job live on this node. The kernel drops a rank's lock when its
// process ends or becomes another program. Process numbers are useless: each container counts anew.
// Ranks that wait for others ask here (wait_environment.hpp, watch_thread.hpp).
#pragma once

#include <span>

#include "preload/transport/shared_memory.hpp"

namespace terrace::preload {

/// The file in which ranks show that they live: a file without a name, made by one of them.
///
/// Each rank locks the byte of its number in MPI_COMM_WORLD. The lock is held by a mapping, not by
/// a file descriptor, so forked children neither inherit it nor keep it alive.

/// This process's own file, made at the first call, in which `rank` is shown. A `file` of -1: it
/// cannot be made.
MemoryAddress own_liveness_file(int rank);

/// Shows this process, `rank`, in a peer's file. Does nothing where that is impossible.
void show_liveness(const MemoryAddress& file, int rank);

/// Records which of `ranks`, all of which have shown themselves by now, are seen to live. Nothing
/// follows for the others: on some systems locks do not last.
void check_liveness(std::span<const int> ranks);

/// Whether a rank was seen to live and no longer does.
bool is_gone(int rank);

}  // namespace terrace::preload
