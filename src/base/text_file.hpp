// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes whole files that users name; reads none that might never end.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.hpp"

namespace terrace {

/// The contents of the file. Errors: argument, if it cannot be opened, is not a regular file (a
/// directory, a pipe without a writer, an endless device), is empty, or has more than `most` bytes.
Result<std::string> read_text_file(const std::string& path, std::size_t most);

/// Tries the name under which `write_text_file` writes first, so that an impossible path is known
/// beforehand. Leaves an old file as it is, and creates none. Errors: argument, with the system's
/// message, or for what is not a regular file.
Result<bool> can_write_text_file(const std::string& path);

/// Checks that the file can be written, and creates missing folders, before work that takes long.
Result<bool> prepare_text_file(const std::string& path);

/// Writes beside the path, then renames: readers see the old file or the new one, with any number
/// of concurrent writers. Errors: system, with the reason.
Result<bool> write_text_file(const std::string& path, const std::string& text);

/// Creates the missing folders of a file, for its user alone; existing ones stay as they are.
void make_folders_for(const std::string& path);

}  // namespace terrace
