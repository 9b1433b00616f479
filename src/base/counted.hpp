// SPDX-License-Identifier: BSD-3-Clause
// Nouns with their number.
#pragma once

#include <cstdint>
#include <string>

namespace terrace {

/// Returns "1 plan", "2 plans".
inline std::string counted(std::uint64_t count, const std::string& noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

}  // namespace terrace
