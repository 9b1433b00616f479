// SPDX-License-Identifier: BSD-3-Clause
// Terrace's MPI for thread ranks, loaded first, so that programs that need an MPI by name get it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "threadranks/rank_abi.h"

namespace terrace {

/// Functions of the interface; null where no MPI is wanted.
struct RankAbi {
  decltype(&terrace_ranks_begin) begin = nullptr;
  decltype(&terrace_ranks_enter) enter = nullptr;
  decltype(&terrace_ranks_leave) leave = nullptr;
};

/// The library for these names, from one of these folders. Errors: unsupported, if a program wants
/// two different ones; system, if it is not there.
Result<RankAbi> load_mpi(const std::set<std::string>& names,
                         const std::vector<std::string>& folders);

}  // namespace terrace
