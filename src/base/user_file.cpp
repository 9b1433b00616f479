// SPDX-License-Identifier: BSD-3-Clause
// Reads the two environment variables that move user files.
#include "base/user_file.hpp"

#include <cstdlib>

namespace terrace {

namespace {

/// Relative paths are ignored, as the specification requires.
std::string absolute_path_in(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && value[0] == '/' ? value : "";
}

}  // namespace

std::string user_file(UserFolder folder, const std::string& name) {
  const bool is_config = folder == UserFolder::config;
  std::string path = absolute_path_in(is_config ? "XDG_CONFIG_HOME" : "XDG_CACHE_HOME");
  if (path.empty()) {
    path = absolute_path_in("HOME");
    if (path.empty()) return "";
    path += is_config ? "/.config" : "/.cache";
  }
  return path + "/terrace/" + name;
}

}  // namespace terrace
