// SPDX-License-Identifier: BSD-3-Clause
// Compares words.
#include "base/switch.hpp"

#include <cctype>
#include <cstdlib>

namespace terrace {

std::optional<bool> switch_from_text(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char* word : {"on", "1", "yes", "true"})
    if (text == word) return true;
  for (const char* word : {"off", "0", "no", "false"})
    if (text == word) return false;
  return std::nullopt;
}

std::optional<bool> switch_in_environment(const char* variable) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? switch_from_text(text) : std::nullopt;
}

}  // namespace terrace
