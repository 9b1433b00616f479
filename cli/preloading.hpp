// SPDX-License-Identifier: BSD-3-Clause
// Finds what keeps the loader from loading our library before a program's own, and a way around it
// where there is one.
#pragma once

#include <string>

#include "base/result.hpp"

namespace terrace {

/// The path of one of our libraries as it may stand in LD_PRELOAD, which the loader splits at
/// spaces and colons: where the path has such, by a link in the user's folder for caches. Errors:
/// system, if there can be none.
Result<std::string> path_for_preload(const std::string& library);

/// Why the loader will ignore LD_PRELOAD, since the program would give its user more rights: half a
/// sentence that begins with "has" or "is run by"; "" if it will not. For a script, its interpreter
/// counts.
std::string loss_of_preload(const std::string& program);

/// The interpreter that the first line of a script names; "" for all else.
std::string interpreter_of(const std::string& path);

}  // namespace terrace
