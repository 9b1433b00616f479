// SPDX-License-Identifier: BSD-3-Clause
// Uses memfd, /proc/PID/fd and fallocate.
#include "preload/transport/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/contract.hpp"
#include "base/pages.hpp"

namespace terrace::preload {

namespace {

Error refusal(const std::string& what, int error = errno) {
  return {ErrorCode::system, what + ": " + std::strerror(error)};
}

/// Growing a file beyond this limit would kill the process with a signal.
bool is_within_file_limit(std::uint64_t bytes) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         bytes <= limit.rlim_cur;
}

}  // namespace

Result<std::unique_ptr<SharedMemory>> SharedMemory::make(std::size_t bytes, std::size_t page) {
  MemoryAddress address;
  address.process = getpid();
  address.bytes = bytes + page;
  if (!is_within_file_limit(address.bytes))
    return Error{ErrorCode::system, "the limit on file sizes (ulimit -f) is too small"};
  address.file = memfd_create("terrace", MFD_CLOEXEC);
  if (address.file < 0) return refusal("no shared memory can be made");
  if (getrandom(&address.token, sizeof address.token, 0) < 0)
    address.token = static_cast<std::uint64_t>(address.process);
  if (ftruncate(address.file, static_cast<off_t>(address.bytes)) != 0 ||
      pwrite(address.file, &address.token, sizeof address.token, 0) !=
          static_cast<ssize_t>(sizeof address.token)) {
    const Error error = refusal("shared memory cannot grow to its size");
    close(address.file);
    return error;
  }
  return map(address, page);
}

Result<std::unique_ptr<SharedMemory>> SharedMemory::open(const MemoryAddress& address,
                                                         std::size_t page) {
  TERRACE_REQUIRE(address.process > 0 && address.file >= 0, address.process, address.file);
  TERRACE_REQUIRE(address.bytes >= page, address.bytes, page);
  const std::string path =
      "/proc/" + std::to_string(address.process) + "/fd/" + std::to_string(address.file);
  MemoryAddress own = address;
  own.file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (own.file < 0) return refusal("a peer's shared memory cannot be opened at " + path);
  std::uint64_t token = 0;
  struct stat status {};
  const bool is_it = pread(own.file, &token, sizeof token, 0) == sizeof token &&
                     token == address.token && fstat(own.file, &status) == 0 &&
                     static_cast<std::uint64_t>(status.st_size) == address.bytes;
  if (!is_it) {
    close(own.file);
    return Error{ErrorCode::system, path + " is not the peer's shared memory"};
  }
  return map(own, page);
}

Result<std::unique_ptr<SharedMemory>> SharedMemory::map(MemoryAddress address, std::size_t page) {
  void* place = mmap(nullptr, address.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, address.file, 0);
  if (place == MAP_FAILED) {
    const Error error = refusal("shared memory cannot be mapped");
    close(address.file);
    return error;
  }
  // A child process has no part in the team; a core file of each rank need not hold all ranks'.
  madvise(place, address.bytes, MADV_DONTFORK);
  madvise(place, address.bytes, MADV_DONTDUMP);
  return std::unique_ptr<SharedMemory>(
      new SharedMemory(static_cast<std::byte*>(place), address, page));
}

bool SharedMemory::can_allocate_later() {
  // Of nothing at all; kernels that do not know it say so.
  static const bool knows_it = populate(nullptr, 0) == 0;
  return knows_it;
}

Result<bool> SharedMemory::allocate(std::size_t offset, std::size_t bytes) {
  TERRACE_REQUIRE(page_ + offset + bytes <= address_.bytes, offset, bytes, address_.bytes);
  TERRACE_REQUIRE(offset % page_ == 0 && bytes % page_ == 0, offset, bytes, page_);
  if (can_allocate_later()) {
    // It says so if there is no memory, where touching the pages would end the process.
    if (const int error = populate(at(offset), bytes))
      return refusal("there is not enough memory to share", error);
    return true;
  }
  // posix_fallocate would write where the kernel cannot allocate; only the real thing will do.
  while (fallocate(address_.file, 0, static_cast<off_t>(page_ + offset),
                   static_cast<off_t>(bytes)) != 0)
    if (errno != EINTR) return refusal("there is not enough memory to share");
  return true;
}

void SharedMemory::close_file() {
  if (address_.file >= 0) close(address_.file);
  address_.file = -1;
}

SharedMemory::~SharedMemory() {
  close_file();
  munmap(place_, address_.bytes);
}

}  // namespace terrace::preload
