// SPDX-License-Identifier: BSD-3-Clause
// Prints durations, such as "1.5 us".
#pragma once

#include <string>

namespace terrace {

/// "306.7 ns", "25.9 us", "4.6 ms", "-12.0 ns": the unit in which it is below 1000, one decimal.
std::string duration_text(double ns);

}  // namespace terrace
