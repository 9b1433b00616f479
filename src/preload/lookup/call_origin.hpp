// SPDX-License-Identifier: BSD-3-Clause
// Finds out which library calls Terrace's PMPI_X, and so whether the call is the program's.
#pragma once

#include <cstdint>

namespace terrace::preload {

enum class CallOrigin : std::uint8_t {
  other,    ///< a tool or the program: after a tool's tail jump they look alike
  fortran,  ///< the MPI's library for Fortran, which forwards the program's calls
  inside,   ///< the MPI, one of its plugins, or our communicators: not the program's call
};

/// Finds the origin by the return address of the call.
CallOrigin call_origin_at(const void* return_address);

}  // namespace terrace::preload
