// SPDX-License-Identifier: BSD-3-Clause
// The modules of `terrace fc`: what a compiler makes of them only that compiler can read, so they
// are compiled when they are first needed, and kept in the user's cache.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace terrace {

/// Returns what a compiler says of itself: the first line of `--version`. Errors: system, if it
/// cannot be run.
Result<std::string> version_of(const std::vector<std::string>& compiler);

/// The folder of the modules for that compiler, which are made if they are not there. `sources`:
/// the folder of NAME.f90. Errors: system.
Result<std::string> folder_of_modules(const std::vector<std::string>& compiler,
                                      const std::string& version, const std::string& sources,
                                      const std::vector<std::string>& names);

}  // namespace terrace
