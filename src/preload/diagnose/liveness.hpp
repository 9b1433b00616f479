// SPDX-License-Identifier: BSD-3-Clause
// Liveness: which ranks of this job live on this node. The kernel drops a rank's lock when its
// process ends or becomes another program. Process numbers are useless: each container counts anew.
#pragma once

#include <span>

#include "preload/transport/shared_memory.hpp"

namespace terrace::preload {

/// Where ranks show that they live: a file without a name, which one of them has made.
///
/// Each locks the byte of its number in MPI_COMM_WORLD. The lock is kept by a mapping, not by a
/// file descriptor, so children that are forked neither get it nor keep it alive.

/// This process's own such file, made when first asked for, with `rank` shown in it. A `file` of
/// -1: it cannot be made.
MemoryAddress own_liveness_file(int rank);

/// Shows this process, `rank`, in the file of a peer. Does nothing where that cannot be.
void show_liveness(const MemoryAddress& file, int rank);

/// Notes who of `ranks`, all of which have shown themselves by now, is seen to live. Of the others
/// nothing can be concluded: on some systems locks do not last.
void check_liveness(std::span<const int> ranks);

/// Whether a rank was seen to live and does not any more.
bool is_gone(int rank);

}  // namespace terrace::preload
