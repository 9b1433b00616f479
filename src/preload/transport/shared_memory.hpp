// SPDX-License-Identifier: BSD-3-Clause
// Memory that processes of one node share: an unnamed file that peers open through /proc. It lives
// as long as a process maps it, so a crash leaves nothing behind.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/contract.hpp"
#include "base/pages.hpp"
#include "base/result.hpp"

namespace terrace::preload {

/// The address at which peers find memory that this process made.
struct MemoryAddress {
  pid_t process = 0;
  int file = -1;
  std::uint64_t bytes = 0;
  std::uint64_t token = 0;  ///< stands at its beginning, to know it by
};

class SharedMemory {
 public:
  /// Makes memory with room for `bytes`, none of it allocated yet. Page 0 is for this class, and
  /// the user's part begins with the next one, also for those who open it.
  static Result<std::unique_ptr<SharedMemory>> make(std::size_t bytes,
                                                    std::size_t page = page_bytes());
  static Result<std::unique_ptr<SharedMemory>> open(const MemoryAddress& address,
                                                    std::size_t page = page_bytes());
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  /// Really allocates a part, near the calling thread, so that using it cannot fail later. Parts
  /// are in whole pages: the kernel allocates from no other place on.
  Result<bool> allocate(std::size_t offset, std::size_t bytes);
  /// Whether parts can be allocated after `close_file` as well (Linux 5.14 and newer).
  static bool can_allocate_later();
  /// No peer will open it any more: frees the file descriptor.
  void close_file();

  std::byte* at(std::size_t offset) const {
    TERRACE_ASSERT(page_ + offset <= address_.bytes, offset, address_.bytes);
    return place_ + page_ + offset;
  }
  const MemoryAddress& address() const { return address_; }

 private:
  SharedMemory(std::byte* place, const MemoryAddress& address, std::size_t page)
      : place_(place), page_(page), address_(address) {}
  static Result<std::unique_ptr<SharedMemory>> map(MemoryAddress address, std::size_t page);

  std::byte* place_;
  std::size_t page_;
  MemoryAddress address_;
};

}  // namespace terrace::preload
