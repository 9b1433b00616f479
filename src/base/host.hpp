// SPDX-License-Identifier: BSD-3-Clause
// Which host this is, so that ranks can tell whether they are on the same.
#pragma once

#include <string>

namespace terrace {

std::string host_name();

/// Differs after each start of the kernel, and so between hosts of the same name; empty where the
/// kernel does not tell.
std::string boot_id();

}  // namespace terrace
