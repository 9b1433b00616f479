// SPDX-License-Identifier: BSD-3-Clause
// MPI_Comm_split_type and MPI_Get_hw_resource_info. libterrace-communicators serves those that ask
// for hardware, so that they follow the standard under any MPI. It lies beside this library and is
// loaded at first use, since it needs hwloc, and this library only libc and libgcc_s.
#pragma once

#include <optional>

#include "base/handles.hpp"

namespace terrace::preload {

/// A call of MPI_Comm_split_type, with C's handles.
struct SplitCall {
  Handle communicator = 0;
  int type = 0;
  int key = 0;
  Handle info = 0;
};

/// Collective. Returns the call's error code, and stores a handle of the MPI's at `newcomm`.
/// Nothing: all ranks fall back to the MPI.
std::optional<int> run_split_type(const SplitCall& call, void* newcomm);

/// Local. Returns the error code, and stores a handle of the MPI's at `hardware`. Nothing: the call
/// falls back to the MPI.
std::optional<int> run_resource_question(void* hardware);

}  // namespace terrace::preload
