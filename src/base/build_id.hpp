// SPDX-License-Identifier: BSD-3-Clause
// The linker's identifier of a loaded library: equal in two processes if they have the same build.
#pragma once

#include <link.h>

#include <string>

namespace terrace {

/// Whether a loaded library contains an address.
bool holds(const dl_phdr_info& library, const void* address);

/// Returns the build id of the library that contains an address; "" if it has none.
std::string build_id_at(const void* address);

}  // namespace terrace
