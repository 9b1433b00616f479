// SPDX-License-Identifier: BSD-3-Clause
// Loads Terrace's MPI for thread ranks first, so that programs that need an MPI by name get it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "threadranks/rank_abi.h"

namespace terrace {

/// Functions of the interface; null if no MPI is needed.
struct RankAbi {
  void* library = nullptr;  ///< dlopen's handle
  std::string name;         ///< a number, by which the ranks' copies need it
  decltype(&terrace_ranks_begin) begin = nullptr;
  decltype(&terrace_ranks_place) place = nullptr;  ///< null also for most ABIs
  decltype(&terrace_ranks_obstacle_to_workers) obstacle_to_workers = nullptr;
  decltype(&terrace_ranks_enter) enter = nullptr;
  decltype(&terrace_ranks_keep_thread) keep_thread = nullptr;
  decltype(&terrace_ranks_signal) signal = nullptr;
  decltype(&terrace_ranks_pass) pass = nullptr;
  decltype(&terrace_ranks_leave) leave = nullptr;
  decltype(&terrace_ranks_disconnect) disconnect = nullptr;
  decltype(&terrace_ranks_end) end = nullptr;
};

/// Loads it for ranks alone: the launcher's own MPI, which connects processes, may have the same
/// name and the same functions, and must meet neither. Finds the library for these names in one of
/// these folders. Errors: unsupported, if a program needs two different ones; system, if there is
/// none.
Result<RankAbi> load_mpi(const std::set<std::string>& names,
                         const std::vector<std::string>& folders);

}  // namespace terrace
