// SPDX-License-Identifier: BSD-3-Clause
// Packs a user's elements, of any layout and in any memory, to dense bytes, and unpacks them.
#pragma once

#include "preload/mpi/underlying_mpi.hpp"

namespace terrace::preload {

// Like the MPI's own, but data in device memory is staged through the host.
bool pack_elements(UnderlyingMpi& underlying, Handle communicator, const void* from,
                   std::int64_t count, Handle type, void* packed, std::size_t bytes);
bool unpack_elements(UnderlyingMpi& underlying, Handle communicator, const void* packed,
                     std::size_t bytes, void* to, std::int64_t count, Handle type);

}  // namespace terrace::preload
