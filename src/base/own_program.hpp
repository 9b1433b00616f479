// SPDX-License-Identifier: BSD-3-Clause
// The program that this process runs, and the folder it was installed in.
#pragma once

#include <string>

namespace terrace {

/// Its whole path, without links, also where there is no /proc: then as the kernel was given it.
/// "" if neither tells. Programs that were started by a loader are that loader.
std::string own_program();

/// PREFIX of PREFIX/bin/terrace; "" if `own_program` is.
std::string own_prefix();

}  // namespace terrace
