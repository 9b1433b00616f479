// SPDX-License-Identifier: BSD-3-Clause
// Finds copies in the loader's list, by the numbers that are their names while they are loaded.
#include "launcher/process/loaded_copies.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/pages.hpp"
#include "launcher/process/abort_report.hpp"

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

WritableAgain::WritableAgain(const link_map& map, const Extent& unwritable) {
  const std::uintptr_t page = page_bytes();
  const std::uintptr_t begin = (map.l_addr + unwritable.address) & -page;
  const std::uintptr_t end = (map.l_addr + unwritable.address + unwritable.bytes) & -page;
  begin_ = reinterpret_cast<void*>(begin);
  if (unwritable.bytes != 0 && begin < end) bytes_ = end - begin;
  if (bytes_ != 0) mprotect(begin_, bytes_, PROT_READ | PROT_WRITE);
}

WritableAgain::~WritableAgain() {
  if (bytes_ != 0) mprotect(begin_, bytes_, PROT_READ);
}

void* symbol_of_process(const LaunchedJob& job, const char* name) {
  void* const mpi = job.mpi().library;
  void* const found = mpi != nullptr ? dlsym(mpi, name) : nullptr;
  // By its handle, dlsym finds also what the MPI needs, such as libc's.
  Dl_info about;
  void *its_map = nullptr, *map_of_mpi = nullptr;
  const bool is_of_mpi = found != nullptr && dlinfo(mpi, RTLD_DI_LINKMAP, &map_of_mpi) == 0 &&
                         dladdr1(found, &about, &its_map, RTLD_DL_LINKMAP) != 0 &&
                         its_map == map_of_mpi;
  return is_of_mpi ? found : dlsym(RTLD_DEFAULT, name);
}

namespace {

/// Names of functions and variables of MPI, and of the insides of MPIs.
bool is_of_mpi(std::string_view symbol) {
  for (const char* beginning :
       {"MPI", "PMPI", "QMPI", "mpi_", "pmpi_", "ompi_", "opal_", "__I_MPI"})
    if (symbol.starts_with(beginning)) return true;
  return false;
}

std::string reason_in(const std::string& sentence) {
  constexpr std::string_view kUndefined = "undefined symbol: ";
  const std::size_t at = sentence.find(kUndefined);
  if (at == sentence.npos || !is_of_mpi(std::string_view(sentence).substr(at + kUndefined.size())))
    return "";
  return ", which the MPI of thread ranks does not have: it is of the inside of the MPI for which "
         "this was built, or newer; run it as processes: mpirun -n N terrace exec PROGRAM";
}

}  // namespace

std::string with_paths(std::string sentence, const std::vector<PrivateCopy>& copies) {
  for (const PrivateCopy& copy : copies) {
    const std::size_t end = sentence.find("/fd/" + copy.name + ":");
    const std::size_t begin = end == sentence.npos ? end : sentence.rfind("/proc/", end);
    if (begin != sentence.npos)
      sentence.replace(begin, end + 4 + copy.name.size() - begin, copy.path);
  }
  return sentence + reason_in(sentence);
}

void give_real_name(const PrivateCopy& copy) {
  if (link_map* const map = map_named(copy.name)) map->l_name = strdup(copy.path.c_str());
}

}  // namespace terrace
