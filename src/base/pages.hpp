// SPDX-License-Identifier: BSD-3-Clause
// The length of the system's pages. A page lies near the core that first touches it: 4 KiB on
// x86-64; 4, 16 or 64 KiB on AArch64.
#pragma once

#include <unistd.h>

#include <cstddef>

namespace terrace {

inline std::size_t page_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));  // which libc knows without the kernel
}

}  // namespace terrace
