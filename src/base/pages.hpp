// SPDX-License-Identifier: BSD-3-Clause
// The length of the system's pages. A page lies near the core that first touches it: 4 KiB on
// x86-64; 4, 16 or 64 KiB on AArch64.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace terrace {

inline std::size_t page_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));  // which libc knows without the kernel
}

/// The length of the pages that so many bytes take.
constexpr std::size_t whole_pages(std::size_t bytes, std::size_t page) {
  return (bytes + page - 1) / page * page;
}
inline std::size_t whole_pages(std::size_t bytes) {
  return whole_pages(bytes, page_bytes());
}

/// Allocates the pages that have some of these bytes, near this core, without changing them.
/// Returns 0, or an error as in errno, which stays as it is: EINVAL where the kernel cannot (before
/// Linux 5.14), so that they are allocated when first touched.
inline int populate(void* begin, std::size_t bytes) {
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, which older headers lack
  const int errno_before = errno;
  const std::size_t before = reinterpret_cast<std::uintptr_t>(begin) % page_bytes();
  int error = 0;
  do {
    const bool is_done =
        madvise(static_cast<std::byte*>(begin) - before, before + bytes, kPopulateWrite) == 0;
    error = is_done ? 0 : errno;
  } while (error == EINTR || error == EAGAIN);
  errno = errno_before;
  return error;
}

}  // namespace terrace
