// SPDX-License-Identifier: BSD-3-Clause
// Checks the user's TERRACE_* variables, and warns about each that is misspelt or has no effect.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace terrace::preload {

/// One warning for each entry ("NAME=value") that is misspelt or has no effect. `instruction_set`
/// is the one in use.
std::vector<std::string> env_warnings_about(std::span<const std::string> environment,
                                            const std::string& instruction_set);

/// Lists the warnings about the variables of this process.
std::vector<std::string> env_warnings();

}  // namespace terrace::preload
