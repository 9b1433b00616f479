// SPDX-License-Identifier: BSD-3-Clause
// What is off about the user's variables: a misspelt one would otherwise do nothing, silently.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace terrace::preload {

/// A sentence for each entry ("NAME=value") that nobody heeds. `instruction_set` is the one in use.
std::vector<std::string> complaints_about(std::span<const std::string> environment,
                                          const std::string& instruction_set);

/// Of this process.
std::vector<std::string> complaints();

}  // namespace terrace::preload
