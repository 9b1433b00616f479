// SPDX-License-Identifier: BSD-3-Clause
// Files that people name: read whole, and only if that can end soon.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.hpp"

namespace terrace {

/// What the file holds. Errors: argument, for what cannot be opened, is no regular file (a
/// directory, a pipe that nobody writes to, a device without end), is empty, or has more than
/// `most` bytes.
Result<std::string> read_text_file(const std::string& path, std::size_t most);

}  // namespace terrace
