// SPDX-License-Identifier: BSD-3-Clause
// Text in an array of fixed size, for records that are sent as bytes. The rest is zeros.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "base/contract.hpp"

namespace terrace {

/// False if the text was cut; it ends with a zero in any case. `into` must hold zeros.
template <std::size_t kBytes>
bool put_text(std::array<char, kBytes>& into, std::string_view text) {
  TERRACE_ASSERT(into.front() == 0);
  std::memcpy(into.data(), text.data(), std::min(text.size(), kBytes - 1));
  return text.size() < kBytes;
}

template <std::size_t kBytes>
std::string text_in(const std::array<char, kBytes>& from) {
  return std::string(from.data(), strnlen(from.data(), kBytes));
}

}  // namespace terrace
