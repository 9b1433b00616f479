// SPDX-License-Identifier: BSD-3-Clause
// Finds copies in the loader's list, by the numbers that are their names while they are loaded.
#include "threadranks/process/loaded_copies.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "threadranks/process/abort_report.hpp"

namespace terrace {

void* open_by_loader(const char* name, int flags) {
  static const auto open = reinterpret_cast<decltype(&dlopen)>(dlsym(RTLD_NEXT, "dlopen"));
  return open(name, flags);
}

link_map* map_named(const std::string& name) {
  for (link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next)
    if (std::string_view(map->l_name).ends_with("/" + name)) return map;
  return nullptr;
}

void take_from_file(const terrace_rank& rank, const PrivateCopy& copy, const link_map& map) {
  for (const FilePart& part : copy.parts) {
    void* const place = reinterpret_cast<void*>(map.l_addr + part.address);
    const int access = PROT_READ | (part.is_code ? PROT_EXEC : 0);
    const auto offset = static_cast<off_t>(part.offset);
    const void* const mapped =
        mmap(place, part.bytes, access, MAP_PRIVATE | MAP_FIXED, copy.source->number(), offset);
    if (mapped == MAP_FAILED)
      end_job(rank.number, "cannot map " + copy.path + ": " + std::strerror(errno), 1);
    // Variables that have not been written yet are still read from the copy.
    if (part.is_for_loader && !part.is_shared)
      fallocate(copy.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset,
                static_cast<off_t>(part.bytes));
  }
}

void give_real_name(const PrivateCopy& copy) {
  if (link_map* const map = map_named(copy.name)) map->l_name = strdup(copy.path.c_str());
}

}  // namespace terrace
