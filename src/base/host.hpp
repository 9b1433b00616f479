// SPDX-License-Identifier: BSD-3-Clause
// Identifies the host, so that ranks can tell whether they are on the same one.
#pragma once

#include <string>

namespace terrace {

std::string host_name();

/// The identifier of this boot, by which hosts of the same name differ too; empty where the kernel
/// does not tell.
std::string boot_id();

}  // namespace terrace
