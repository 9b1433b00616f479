// SPDX-License-Identifier: BSD-3-Clause
// Reads and prints sizes in bytes, such as "64 KiB".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace terrace {

/// "480 MiB", "4.1 GiB", "48 KiB", "1000 B".
std::string bytes_text(std::uint64_t bytes);

/// "64", "64B", "4K", "4KiB", "1M", "2GiB"; nothing if the text is none of that, or more than
/// `most`.
std::optional<std::uint64_t> bytes_from_text(std::string_view text, std::uint64_t most);

}  // namespace terrace
