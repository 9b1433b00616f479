// SPDX-License-Identifier: BSD-3-Clause
// Rounds to a tenth of a unit, and reads units as factors.
#include "base/bytes.hpp"

#include <algorithm>
#include <array>

#include "base/number.hpp"

namespace terrace {

std::string bytes_text(std::uint64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits = {" B", " KiB", " MiB", " GiB", " TiB"};
  std::size_t unit = 0;
  std::uint64_t tenths = bytes * 10;
  for (; tenths >= 10'240 && unit + 1 < kUnits.size(); ++unit) tenths = (tenths + 512) / 1024;
  std::string text = std::to_string(tenths / 10);
  if (tenths % 10 != 0 && tenths < 1'000) text += '.' + std::to_string(tenths % 10);
  return text + kUnits[unit];
}

std::optional<std::uint64_t> bytes_from_text(std::string_view text, std::uint64_t most) {
  static constexpr std::array<const char*, 4> kUnits = {"", "K", "M", "G"};
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string_view unit = text.substr(digits);
  if (unit.size() == 3 && unit.ends_with("iB")) unit.remove_suffix(2);
  if (unit == "B") unit = {};
  const auto* found = std::find(kUnits.begin(), kUnits.end(), unit);
  if (found == kUnits.end()) return std::nullopt;
  const auto shift = static_cast<unsigned>(found - kUnits.begin()) * 10;
  const auto number = number_from_text(text.substr(0, digits), std::uint64_t{0}, most >> shift);
  return number ? std::optional(*number << shift) : std::nullopt;
}

}  // namespace terrace
