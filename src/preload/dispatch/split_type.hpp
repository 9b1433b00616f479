// SPDX-License-Identifier: BSD-3-Clause
// MPI_Comm_split_type and MPI_Get_hw_resource_info, served by libterrace-communicators if they ask
// for hardware, so that they work as the standard says under any MPI. That library lies beside this
// one and is loaded when first needed, since it needs hwloc, and this one only libc.
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

/// Collective. The call's error code, and a handle of the MPI's where `newcomm` points; nothing if
/// the underlying MPI is to run it, on all ranks.
std::optional<int> run_split_type(const SplitCall& call, void* newcomm);

/// Local. Its error code, and a handle of the MPI's where `hardware` points; nothing if the MPI
/// below is to run it.
std::optional<int> run_resource_question(void* hardware);

}  // namespace terrace::preload
