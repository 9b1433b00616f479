// SPDX-License-Identifier: BSD-3-Clause
// Finds a user's own files by the XDG base directory specification.
#pragma once

#include <cstdint>
#include <string>

namespace terrace {

enum class UserFolder : std::uint8_t {
  config,  ///< XDG_CONFIG_HOME, or .config at home
  cache,   ///< XDG_CACHE_HOME, or .cache at home
};

/// The path of Terrace's file of that name; "" if neither variable is an absolute path.
std::string user_file(UserFolder folder, const std::string& name);

}  // namespace terrace
