// SPDX-License-Identifier: BSD-3-Clause
// Rounding to a tenth of a unit.
#include "base/bytes.hpp"

#include <array>

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

}  // namespace terrace
