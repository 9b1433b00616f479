// SPDX-License-Identifier: BSD-3-Clause
// Looks at paths, also at those that this process may not follow: no look throws.
#pragma once

#include <string>
#include <vector>

namespace terrace {

/// Whether a file, a folder or anything else has that path; false, too, if we may not know.
bool is_there(const std::string& path);

/// The paths in a folder, in no order; none if it cannot be read.
std::vector<std::string> paths_in(const std::string& folder);

}  // namespace terrace
