// SPDX-License-Identifier: BSD-3-Clause
// Finds out which library calls Terrace's PMPI_X, and so whether the call is the program's.
#pragma once

#include <cstdint>

namespace terrace::preload {

enum class CallOrigin : std::uint8_t {
  other,    ///< a tool, or the program: a tool's last jump does not show where it came from
  fortran,  ///< the MPI's library for Fortran: it hands on what the program calls
  inside,   ///< the MPI, a plugin of its, or our communicators: no call of the program's
};

/// By the address that the call returns to.
CallOrigin call_origin_at(const void* return_address);

}  // namespace terrace::preload
