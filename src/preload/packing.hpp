// SPDX-License-Identifier: BSD-3-Clause
// Between a user's elements, however and wherever they lie, and dense bytes of ours.
#pragma once

#include "preload/below.hpp"

namespace terrace::preload {

// As the MPI's own; what lies in memory of a device goes through the host's.
bool pack_elements(MpiBelow& below, Handle communicator, const void* from, std::int64_t count,
                   Handle type, void* packed, std::size_t bytes);
bool unpack_elements(MpiBelow& below, Handle communicator, const void* packed, std::size_t bytes,
                     void* to, std::int64_t count, Handle type);

}  // namespace terrace::preload
