// SPDX-License-Identifier: BSD-3-Clause
// Names of the entry points. Each exists as MPI_X, which programs call, and as PMPI_X, which tools
// and libraries for Fortran call. If a tool comes after Terrace, MPI_X leads to the tool, whose
// PMPI_X is Terrace's. Without a tool, a program's PMPI_X is the MPI's, as it asks.
#pragma once

#include "preload/lookup/call_origin.hpp"
#include "preload/lookup/symbol_lookup.hpp"

namespace terrace::preload {

/// Whether Terrace runs a call of PMPI_X.
inline bool is_ours_from(const void* return_address, bool has_tool) {
  const CallOrigin caller = call_origin_at(return_address);
  return caller == CallOrigin::fortran || (caller == CallOrigin::other && has_tool);
}

}  // namespace terrace::preload

#define TERRACE_EXPORTED extern "C" __attribute__((visibility("default"))) int

// Tools are known once the program is loaded, so a call of MPI_X costs one branch.

#define TERRACE_ENTRY_OF_PROGRAMS(NAME)                 \
  const bool is_tools_##NAME = is_tool_after_us(#NAME); \
  TERRACE_EXPORTED NAME
#define TERRACE_IS_OURS_OF_PROGRAMS(NAME) !is_tools_##NAME

#define TERRACE_ENTRY_OF_TOOLS(NAME)                                            \
  const bool has_tool_##NAME = is_tool_anywhere(&#NAME[1]) /* without the P */; \
  TERRACE_EXPORTED NAME
#define TERRACE_IS_OURS_OF_TOOLS(NAME) is_ours_from(__builtin_return_address(0), has_tool_##NAME)
