// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes all that a file, a pipe or a terminal gives and takes, whatever interrupts it.
#pragma once

#include <string>
#include <string_view>

namespace terrace {

/// Reads up to the end, or to an error.
std::string read_to_end(int from);

/// False: not all could be written; the reason is in errno.
bool write_all(int to, std::string_view text);

}  // namespace terrace
