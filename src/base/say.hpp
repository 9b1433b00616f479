// SPDX-License-Identifier: BSD-3-Clause
// What the preload tells the user: whole lines to standard error, each begun with "terrace: ".
#pragma once

#include <string>

namespace terrace {

void say(const std::string& sentence);

/// Says a sentence only if this process has not said it before.
void say_once(const std::string& sentence);

}  // namespace terrace
