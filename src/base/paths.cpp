// SPDX-License-Identifier: BSD-3-Clause
// Asks the system, and takes its refusals for an answer.
#include "base/paths.hpp"

#include <filesystem>
#include <system_error>

namespace terrace {

bool is_there(const std::string& path) {
  std::error_code failure;
  return std::filesystem::exists(path, failure);
}

std::vector<std::string> paths_in(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure))
    paths.push_back(entry->path().string());
  return paths;
}

}  // namespace terrace
