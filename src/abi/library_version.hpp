// SPDX-License-Identifier: BSD-3-Clause
// The first line of an MPI's version string.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

namespace terrace::abi {

/// "MPICH Version: 4.0.2": the beginning of what MPI_Get_library_version(text, length), or what
/// stands for it, gives.
template <class GetLibraryVersion>
std::string short_version(const GetLibraryVersion& get_library_version) {
  static char text[16384];  // no MPI has a longer MPI_MAX_LIBRARY_VERSION_STRING
  int length = 0;
  get_library_version(text, &length);
  std::string line(text, std::strcspn(text, ",\n"));
  std::replace(line.begin(), line.end(), '\t', ' ');
  const auto are_blanks = [](char a, char b) { return a == ' ' && b == ' '; };
  line.erase(std::unique(line.begin(), line.end(), are_blanks), line.end());
  return line;
}

}  // namespace terrace::abi
