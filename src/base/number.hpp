// SPDX-License-Identifier: BSD-3-Clause
// Reads numbers from command lines, files and the environment.
#pragma once

#include <charconv>
#include <concepts>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

namespace terrace {

/// The number from `least` to `most` that `text` is, in decimal digits and nothing else.
template <std::integral Number>
std::optional<Number> number_from_text(std::string_view text, Number least = 0,
                                       Number most = std::numeric_limits<Number>::max()) {
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, failure] = std::from_chars(text.data(), end, number);
  const bool is_number = failure == std::errc() && stopped == end;
  if (!is_number || number < least || number > most) return std::nullopt;
  return number;
}

}  // namespace terrace
