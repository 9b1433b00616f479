// SPDX-License-Identifier: BSD-3-Clause
// Prints whole lines to standard error for the user, each beginning with "terrace: ".
#pragma once

#include <string>

namespace terrace {

void say(const std::string& sentence);

/// Says a sentence only if this process has not said it before.
void say_once(const std::string& sentence);

}  // namespace terrace
