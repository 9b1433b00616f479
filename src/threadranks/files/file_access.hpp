// SPDX-License-Identifier: BSD-3-Clause
// Moves bytes between memory and files: by one rank alone, or by all ranks of a communicator, which
// merge their pieces.
#pragma once

#include "threadranks/files/file.hpp"

namespace terrace::threadranks {

/// Moves what one rank asks for. Small pieces that are read lie in one longer read (data sieving).
Moved move_alone(FileDescriptor& descriptor, const FileTransfer& transfer);

/// Collective, of ranks in one process. Where ranks have many small pieces, each rank moves one
/// part of the file for all (collective buffering in two phases):
///
///     rank 0's pieces   aa..aa..aa..|aa..aa..        each part is one read or write,
///     rank 1's pieces   ..bb..bb..bb|..bb..bb        copied from and to the ranks' memory
///     moved by rank     0 0 0 0 0 0  1 1 1 1 1
///
/// Where pieces overlap, the highest rank's are written.
Moved move_together(Communicator& communicator, FileDescriptor& descriptor, FileTransfer transfer);

}  // namespace terrace::threadranks
