// SPDX-License-Identifier: BSD-3-Clause
// Parses on/off settings: on and off, yes and no, 1 and 0, true and false.
#pragma once

#include <optional>
#include <string>

namespace terrace {

/// on, 1, yes, true, or off, 0, no, false, in any case; nothing otherwise.
std::optional<bool> switch_from_text(std::string text);

/// The switch in an environment variable; nothing if it is not set or not such a word.
std::optional<bool> switch_in_environment(const char* variable);

}  // namespace terrace
