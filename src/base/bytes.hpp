// SPDX-License-Identifier: BSD-3-Clause
// Numbers of bytes as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace terrace {

/// "480 MiB", "4.1 GiB", "48 KiB", "1000 B".
std::string bytes_text(std::uint64_t bytes);

}  // namespace terrace
