// SPDX-License-Identifier: BSD-3-Clause
// Finds the limit that an allocation met which failed.
#include "base/out_of_memory.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace terrace {

namespace {

std::atomic<std::size_t> bytes_wanted{0};

std::size_t limit_of(decltype(RLIMIT_AS) resource) {
  rlimit limit{};
  const bool is_limited = getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return is_limited ? static_cast<std::size_t>(limit.rlim_cur) : 0;
}

/// Asks the system alone, since memory is short.
MemoryBounds bounds_of_process() {
  MemoryBounds bounds;
  bounds.addresses_limit = limit_of(RLIMIT_AS);
  bounds.writable_limit = limit_of(RLIMIT_DATA);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (const long pages = sysconf(_SC_PHYS_PAGES); pages > 0)
    bounds.machine = static_cast<std::size_t>(pages) * page;
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  char text[256];
  const ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  if (length <= 0) return bounds;
  text[length] = '\0';
  unsigned long long pages[6] = {};
  char* next = text;
  for (unsigned long long& number : pages) number = std::strtoull(next, &next, 10);
  bounds.addresses = pages[0] * page;
  bounds.writable = pages[5] * page;
  return bounds;
}

/// malloc may ask the system for so much more than is wanted of it.
constexpr std::size_t kMostMore = std::size_t{1} << 20;

/// Whether a limit is the reason; an unknown amount meets any.
bool meets(std::size_t limit, std::size_t used, std::size_t bytes) {
  if (limit == 0) return false;
  return bytes == 0 || used == 0 || used + kMostMore >= limit || bytes > limit - used - kMostMore;
}

}  // namespace

void write_reason(const MemoryBounds& bounds, std::size_t bytes, char* text,
                  std::size_t room) noexcept {
  char wanted[64] = "there is no memory left";
  if (bytes > 0)
    std::snprintf(wanted, sizeof wanted, "there is no memory left for %zu bytes more", bytes);
  const char* const of_limit = "%s: `ulimit -%c` allows %zu bytes, of which %zu are in use";
  if (bounds.machine > 0 && bytes > bounds.machine)
    std::snprintf(text, room,
                  "there is no memory of %zu bytes, as the machine has %zu: is a count or a length "
                  "of the program wrong?",
                  bytes, bounds.machine);
  else if (meets(bounds.addresses_limit, bounds.addresses, bytes))
    std::snprintf(text, room, of_limit, wanted, 'v', bounds.addresses_limit, bounds.addresses);
  else if (meets(bounds.writable_limit, bounds.writable, bytes))
    std::snprintf(text, room, of_limit, wanted, 'd', bounds.writable_limit, bounds.writable);
  else
    std::snprintf(text, room,
                  "%s: the system refuses it, where no limit of the process does (`free`, "
                  "vm.overcommit_memory, vm.max_map_count)",
                  wanted);
}

void note_bytes_wanted(std::size_t bytes) noexcept {
  // relaxed: see its reader, `reason_for_no_memory`.
  bytes_wanted.store(bytes, std::memory_order_relaxed);
}

const char* reason_for_no_memory() noexcept {
  static char text[256];
  // relaxed: only a number; the thread that failed tells its own, and of several any will do.
  write_reason(bounds_of_process(), bytes_wanted.load(std::memory_order_relaxed), text,
               sizeof text);
  return text;
}

}  // namespace terrace
