// SPDX-License-Identifier: BSD-3-Clause
// Reads, retries after a page fault, and reports what fails.
#include "preload/transport/cma.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>
#include <string>

#include "base/contract.hpp"
#include "base/pages.hpp"
#include "base/say.hpp"

namespace terrace::preload {

namespace {

/// The kernel does not ask a program's own handlers for pages that it holds back (checkpoints and
/// paging of its own); a store does. What is here is to be overwritten anyway.
void touch(std::byte* at, std::size_t bytes) {
  const auto store = [](std::byte* one) {
    volatile std::byte* const cell = one;
    const std::byte kept = *cell;
    *cell = kept;
  };
  for (std::size_t i = 0; i < bytes; i += page_bytes()) store(at + i);
  store(at + bytes - 1);
}

/// Returns how many bytes came, fewer than asked for where the kernel stops at its own limit (2
/// GiB) or in front of a page that is not there; negative: errno says why.
ssize_t read_from(std::int64_t process, const void* from, void* to, std::size_t bytes) {
  const iovec here{to, bytes}, there{const_cast<void*>(from), bytes};
  return process_vm_readv(static_cast<pid_t>(process), &here, 1, &there, 1, 0);
}

}  // namespace

MemoryProof own_proof() {
  static const std::uint64_t value = [] {
    std::random_device random;
    return (std::uint64_t{random()} << 32 | random()) ^ static_cast<std::uint64_t>(getpid());
  }();
  return {reinterpret_cast<std::uint64_t>(&value), value};
}

int try_to_read(std::int64_t process, const MemoryProof& proof) {
  TERRACE_REQUIRE(process > 0 && proof.address != 0, process, proof.address);
  std::uint64_t found = 0;
  const ssize_t bytes =
      read_from(process, reinterpret_cast<const void*>(proof.address), &found, sizeof found);
  if (bytes < 0) return errno;
  return bytes == sizeof found && found == proof.value ? 0 : EIO;
}

bool has_system_call_filter() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Seccomp:")) return line.find_first_not_of(" \t0", 8) != line.npos;
  return false;
}

bool CmaReader::pull(Rank owner, const void* from, void* to, std::size_t bytes) noexcept {
  TERRACE_ASSERT(owner < processes_.size(), owner, processes_.size(), bytes);
  const auto* source = static_cast<const std::byte*>(from);
  auto* target = static_cast<std::byte*>(to);
  bool is_touched = false;
  while (bytes > 0) {
    const ssize_t done = read_from(processes_[owner], source, target, bytes);
    if (done <= 0 && !is_touched && (done == 0 || errno == EFAULT)) {
      touch(target, bytes);
      is_touched = true;
      continue;
    }
    if (done <= 0) {
      complain(owner, source, bytes, done < 0 ? errno : EFAULT);
      return false;
    }
    source += done;
    target += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

void CmaReader::complain(Rank owner, const void* from, std::size_t bytes, int error) noexcept {
  char address[32];
  std::snprintf(address, sizeof address, "%p", from);
  say("rank " + std::to_string(own_) + " of a communicator cannot read " + std::to_string(bytes) +
      " bytes at " + address + " of rank " + std::to_string(owner) + " (process " +
      std::to_string(processes_[owner]) +
      "), a buffer of its call: process_vm_readv: " + std::strerror(error) +
      ". It could when the communicator was first used. Ending the job (TERRACE_REACH=bounced "
      "would not read it this way)");
  underlying_.end_job();
}

}  // namespace terrace::preload
