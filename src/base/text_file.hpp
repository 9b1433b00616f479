// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes whole files that users name; reads none that might never end.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.hpp"

namespace terrace {

/// What the file holds. Errors: argument, for what cannot be opened, is not a regular file (a
/// directory, a pipe without a writer, a device without end), is empty, or has more than
/// `most` bytes.
Result<std::string> read_text_file(const std::string& path, std::size_t most);

/// Tries the name under which `write_text_file` writes first, so that a path that cannot be is
/// known beforehand; leaves an old file as it is, and no other. Errors: argument, with what the
/// system says, or for what is not a regular file.
Result<bool> can_write_text_file(const std::string& path);

/// The same, with the folders on the way to it, so that what takes long can begin.
Result<bool> prepare_text_file(const std::string& path);

/// Writes beside the path, then renames: readers see the old file or the new one, however many
/// write at once. Errors: system, with why.
Result<bool> write_text_file(const std::string& path, const std::string& text);

/// The folders on the way to a file, for its user alone; those that are there stay as they are.
void make_folders_for(const std::string& path);

}  // namespace terrace
