// SPDX-License-Identifier: BSD-3-Clause
// Identifies the host, so that ranks can tell whether they are on the same one.
#pragma once

#include <string>

namespace terrace {

std::string host_name();

/// Differs after each start of the kernel, and so between hosts of the same name; empty where the
/// kernel does not tell.
std::string boot_id();

}  // namespace terrace
