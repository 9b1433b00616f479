// SPDX-License-Identifier: BSD-3-Clause
// The module mpi of `terrace fc`: what a compiler makes of it only that compiler can read, so it is
// compiled when it is first needed, and kept in the user's cache.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace terrace {

/// What a compiler says of itself: the first line of `--version`. Errors: system, if it cannot be
/// run.
Result<std::string> version_of(const std::vector<std::string>& compiler);

/// The folder of the module for that compiler, which is made if it is not there. `sources`: the
/// folder of mpi.f90. Errors: system.
Result<std::string> folder_of_module(const std::vector<std::string>& compiler,
                                     const std::string& version, const std::string& sources);

}  // namespace terrace
