// SPDX-License-Identifier: BSD-3-Clause
// Queries the system's limits.
#include "heap/obstacle.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace terrace {

namespace {

bool is_overcommit_forbidden() {
  const int file = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
  char mode = 0;
  const bool is_read = file >= 0 && read(file, &mode, 1) == 1;
  if (file >= 0) close(file);
  return is_read && mode == '2';
}

rlim_t limit_of(int resource) {
  rlimit limit{};
  return getrlimit(static_cast<__rlimit_resource>(resource), &limit) == 0 ? limit.rlim_cur
                                                                          : RLIM_INFINITY;
}

}  // namespace

HeapSurroundings surroundings_here() {
  HeapSurroundings here;
  here.is_overcommit_forbidden = is_overcommit_forbidden();
  here.is_address_space_limited = limit_of(RLIMIT_AS) != RLIM_INFINITY;
  if (const rlim_t most = limit_of(RLIMIT_FSIZE); most != RLIM_INFINITY)
    here.most_file_bytes = most;
  for (const char* entry : {"__asan_init", "__tsan_init", "__msan_init"})
    here.has_sanitizer = here.has_sanitizer || dlsym(RTLD_DEFAULT, entry) != nullptr;
  // It preloads a library of its own into what it runs.
  const char* const preloaded = std::getenv("LD_PRELOAD");
  here.is_under_valgrind = preloaded != nullptr && std::strstr(preloaded, "/vgpreload_") != nullptr;
  return here;
}

std::string heap_obstacle(const HeapSurroundings& surroundings) {
  if (surroundings.has_sanitizer) return "a sanitizer brings its own malloc";
  // At the end memcheck would look for pointers in all of the heap's address space, twice the
  // machine's memory: that takes minutes.
  if (surroundings.is_under_valgrind) return "valgrind brings its own malloc";
  // A file's pages are counted when they are first written, and refused by a signal.
  if (surroundings.is_overcommit_forbidden)
    return "the system hands out no more memory than it has (vm.overcommit_memory is 2, 0 would "
           "do)";
  if (surroundings.is_address_space_limited)
    return "address space is limited (ulimit -v unlimited would do)";
  if (surroundings.most_file_bytes < kHeapGrowthBytes)
    return "the size of files is limited (ulimit -f unlimited would do)";
  return "";
}

}  // namespace terrace
