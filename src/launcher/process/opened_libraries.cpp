// SPDX-License-Identifier: BSD-3-Clause
// Libraries that ranks open by dlopen: plug-ins, filters, tables of functions. Each rank has its
// own, with what they need, as it has those that it was linked to:
//
//     rank 0:  plug-in -> program -> libraries of the program
//     rank 1:  plug-in -> program -> libraries of the program
//                           (a plug-in finds the program's symbols)
//
// libc's family, drivers of devices and MPI are the process's. Copies are never unloaded, since a
// thread of theirs may be in them.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "base/signals_blocked.hpp"
#include "launcher/elf/libraries.hpp"
#include "launcher/process/children.hpp"
#include "launcher/process/launched_job.hpp"
#include "launcher/process/launcher_api.h"
#include "launcher/process/loaded_copies.hpp"

using namespace terrace;

namespace {

using Libraries = std::vector<std::pair<std::string, RankLibrary>>;

/// The loader's own answer, or its error.
Result<void*> open_shared(const char* name, int flags) {
  void* const handle = open_by_loader(name, flags);
  if (handle != nullptr) return handle;
  const char* const error = dlerror();
  return Error{ErrorCode::system, error != nullptr ? error : ""};
}

/// Returns where the loader would find a library of this name: as it searches for those to preload.
std::string found_by_loader(const terrace_rank& rank, const std::string& name) {
  if (name.find('/') != name.npos) return name;
  const std::string& loader = rank.job.program().image.interpreter();
  const SignalsBlocked blocked;  // handlers would see the loader, which is no child of the rank
  const auto paths = libraries_of(loader, rank.job.program().path, name);
  if (!paths) return "";
  const auto found = paths.value().find(name);
  return found == paths.value().end() ? "" : found->second;
}

/// Returns where the loader finds what a library needs. It is asked once for each file of the job,
/// as long as that does not change: each question starts a process.
Result<std::map<std::string, std::string>> paths_for(const terrace_rank& rank,
                                                     const std::string& path) {
  std::error_code failure;
  const auto written = std::filesystem::last_write_time(path, failure).time_since_epoch().count();
  const std::string key = path + " " + std::to_string(written);
  auto& known = rank.job.paths_of_opened();
  if (const auto found = known.find(key); found != known.end()) return found->second;
  const SignalsBlocked blocked;  // as in `found_by_loader`
  auto paths = libraries_of(rank.job.program().image.interpreter(), path);
  if (paths) known.emplace(key, paths.value());
  return paths;
}

/// The name by which the loader knows the rank's copy of a file; "": there is none.
std::string name_of_copy(const terrace_rank& rank, const std::string& path) {
  for (const PrivateCopy& copy : rank.copies.libraries)
    if (copy.path_without_links == path) return copy.name;
  return "";
}

/// The library, and what it needs that the rank does not have. What the rank has under another name
/// gets that one, too.
Result<Libraries> new_libraries(const terrace_rank& rank, const std::string& name,
                                const std::string& path,
                                std::map<std::string, std::string>& names) {
  const Program& program = rank.job.program();
  Result<RankLibrary> first = read_library(path);
  if (!first) return first.error();
  const auto paths = paths_for(rank, path);
  if (!paths) return paths.error();
  Libraries libraries;
  libraries.emplace_back(name, std::move(first).value());
  const auto is_known = [&](const std::string& needed) {
    return names.count(needed) != 0 ||
           std::any_of(libraries.begin(), libraries.end(), [&](const auto& one) {
             return one.first == needed || one.second.image.name() == needed;
           });
  };
  for (std::size_t i = 0; i < libraries.size(); ++i)
    for (const std::string& needed : libraries[i].second.image.needed()) {
      const std::string file = library_path(program, paths.value(), needed);
      if (owner_of(needed) == LibraryOwner::process && !file.empty())
        if (const auto shared = open_shared(file.c_str(), RTLD_NOW | RTLD_GLOBAL); !shared)
          return shared.error();
      if (owner_of(needed) != LibraryOwner::rank || is_known(needed)) continue;
      if (file.empty())
        return Error{ErrorCode::argument, needed + ": cannot open shared object file, needed by " +
                                              libraries[i].second.path};
      if (const std::string copy = name_of_copy(rank, without_links(file)); !copy.empty()) {
        names[needed] = copy;
        continue;
      }
      Result<RankLibrary> next = read_library(file);
      if (!next) return next.error();
      const auto mpi = mpi_in(next.value());
      if (!mpi) return mpi.error();
      if (!mpi.value().empty()) {
        names[needed] = rank.copies.libraries.front().name;
        continue;
      }
      libraries.emplace_back(needed, std::move(next).value());
    }
  return libraries;
}

/// The places of libraries in the order in which their constructors are called: as by the loader,
/// each one after those that it needs, of which the last one comes first.
std::vector<std::size_t> order_of_constructors(const Libraries& libraries) {
  std::vector<std::size_t> order;
  std::vector<bool> is_seen(libraries.size());
  const auto visit = [&](const auto& self, std::size_t place) -> void {
    if (is_seen[place]) return;
    is_seen[place] = true;
    const std::vector<std::string> needed = libraries[place].second.image.needed();
    for (auto name = needed.rbegin(); name != needed.rend(); ++name)
      for (std::size_t i = 0; i < libraries.size(); ++i)
        if (libraries[i].first == *name || libraries[i].second.image.name() == *name) self(self, i);
    order.push_back(place);
  };
  visit(visit, 0);
  return order;
}

/// Calls constructors as the loader does.
void call_constructors(terrace_rank& rank, const Constructors& constructors, const link_map& map) {
  using Constructor = void (*)(int, char**, char**);
  const int count = static_cast<int>(rank.words.size());
  const auto call = [&](std::uintptr_t address) {
    reinterpret_cast<Constructor>(address)(count, rank.arguments.data(), rank.job.variables());
  };
  if (constructors.first != 0) call(map.l_addr + constructors.first);
  const auto* const list =
      reinterpret_cast<const std::uintptr_t*>(map.l_addr + constructors.list.address);
  for (std::size_t i = 0; i < constructors.list.bytes / sizeof *list; ++i) call(list[i]);
}

/// Loads copies, of which the first one needs the others, and calls their constructors; `order` has
/// their places.
Result<void*> load_copies(terrace_rank& rank, const std::vector<PrivateCopy>& copies,
                          const std::vector<std::size_t>& order, int flags) {
  const int when = (flags & RTLD_NOW) != 0 ? RTLD_NOW : RTLD_LAZY;
  Result<void*> handle =
      open_shared(copies.front().name.c_str(), when | RTLD_LOCAL | RTLD_DEEPBIND);
  if (!handle) return Error{ErrorCode::system, with_paths(handle.error().sentence, copies)};
  for (PrivateCopy copy : copies) {
    link_map* const map = map_named(copy.name);
    TERRACE_REQUIRE(map != nullptr, rank.number);
    take_from_file(rank, copy, *map);
    if (!rank.job.is_traced()) give_real_name(copy);
    copy.source = nullptr;  // which closes the file
    copy.parts.clear();
    rank.copies.libraries.push_back(std::move(copy));
    rank.maps.push_back(map);
  }
  const std::vector<link_map*> maps(rank.maps.end() - static_cast<std::ptrdiff_t>(copies.size()),
                                    rank.maps.end());  // constructors may open more
  for (const std::size_t place : order)
    call_constructors(rank, copies[place].constructors, *maps[place]);
  return handle;
}

/// Whether it is an MPI, whatever the name of its file. Errors: Terrace does not provide its ABI.
Result<bool> is_mpi(const std::string& path) {
  const auto library = read_library(path);
  if (!library) return false;
  const auto mpi = mpi_in(library.value());
  if (!mpi) return mpi.error();
  return !mpi.value().empty();
}

Result<void*> open_for(terrace_rank& rank, const char* name, int flags) {
  const std::string base = std::filesystem::path(name).filename().string();
  const std::lock_guard lock(rank.job.opening());
  const auto opened_as = [&](std::string OpenedLibrary::*member, const std::string& value) {
    const auto found = std::find_if(rank.opened.begin(), rank.opened.end(),
                                    [&](const auto& one) { return one.*member == value; });
    if (found == rank.opened.end()) return static_cast<void*>(nullptr);
    found->is_global |= (flags & RTLD_GLOBAL) != 0;
    return found->handle;
  };
  // A name, not a path: the answer does not depend on the working directory.
  const bool is_name = std::string_view(name).find('/') == std::string_view::npos;
  if (void* const known = is_name ? opened_as(&OpenedLibrary::name, name) : nullptr) return known;
  const std::string path = without_links(found_by_loader(rank, name));
  const std::string file = std::filesystem::path(path).filename().string();
  const auto is_of = [&](LibraryOwner owner) {
    return owner_of(base) == owner || (!file.empty() && owner_of(file) == owner);
  };
  if (is_of(LibraryOwner::mpi) && rank.job.mpi().library != nullptr) return rank.job.mpi().library;
  if (is_of(LibraryOwner::process) || is_of(LibraryOwner::mpi) || path.empty())
    return open_shared(name, flags);
  if (void* const known = opened_as(&OpenedLibrary::path, path)) return known;
  if (const auto mpi = is_mpi(path); !mpi || (mpi.value() && rank.job.mpi().library != nullptr))
    return mpi ? Result<void*>(rank.job.mpi().library) : mpi.error();
  Result<void*> handle = nullptr;
  if (const std::string known = name_of_copy(rank, path); !known.empty()) {
    handle = open_shared(known.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  } else {
    if ((flags & RTLD_NOLOAD) != 0) return nullptr;
    std::map<std::string, std::string> names = rank.names;
    Result<Libraries> libraries = new_libraries(rank, base, path, names);
    if (!libraries) return libraries.error();
    const std::vector<std::size_t> order = order_of_constructors(libraries.value());
    auto copies = rank.job.copier().copies_for(rank.copies, names, libraries.value());
    if (!copies) return copies.error();
    libraries.value().clear();
    handle = load_copies(rank, copies.value(), order, flags);
    for (const PrivateCopy& copy : copies.value()) close(copy.file);
    if (handle) rank.names.insert(names.begin(), names.end());
  }
  if (handle) rank.opened.push_back({name, path, handle.value(), (flags & RTLD_GLOBAL) != 0});
  return handle;
}

/// A table of a loaded library; null: it has none. The loader has put addresses into these entries.
template <class Table>
const Table* table_of(const link_map& map, ElfW(Sxword) tag) {
  const ElfW(Dyn)* entry = map.l_ld;
  while (entry->d_tag != DT_NULL && entry->d_tag != tag) ++entry;
  return entry->d_tag == DT_NULL ? nullptr : reinterpret_cast<const Table*>(entry->d_un.d_ptr);
}

/// Whether a loaded library defines a symbol, by its DT_GNU_HASH: buckets of indices into the
/// table of symbols, of which those of a bucket follow each other, with hashes that are odd at the
/// bucket's end. Without such a table, it might.
bool may_define(const link_map& map, const char* name) {
  const auto* const table = table_of<std::uint32_t>(map, DT_GNU_HASH);
  const auto* const symbols = table_of<ElfW(Sym)>(map, DT_SYMTAB);
  const auto* const names = table_of<char>(map, DT_STRTAB);
  if (table == nullptr || symbols == nullptr || names == nullptr) return true;
  const std::uint32_t buckets = table[0], first = table[1], words = table[2];
  const std::uint32_t* const bucket = table + 4 + words * (sizeof(ElfW(Addr)) / sizeof *table);
  const std::uint32_t hash = gnu_hash_of(name);
  std::uint32_t at = buckets == 0 ? 0 : bucket[hash % buckets];
  if (at < first) return false;
  for (;; ++at) {
    const std::uint32_t found = bucket[buckets + at - first];
    const bool is_equal = (found | 1) == (hash | 1) && symbols[at].st_shndx != SHN_UNDEF &&
                          std::strcmp(names + symbols[at].st_name, name) == 0;
    if (is_equal) return true;
    if ((found & 1) != 0) return false;
  }
}

/// Finds, among the rank's copies, the one that has this address.
const link_map* copy_at(const terrace_rank& rank, const void* address) {
  Dl_info about;
  void* map = nullptr;
  if (dladdr1(address, &about, &map, RTLD_DL_LINKMAP) == 0) return nullptr;
  const bool is_there =
      map == rank.program || std::find(rank.maps.begin(), rank.maps.end(), map) != rank.maps.end();
  return is_there ? static_cast<const link_map*>(map) : nullptr;
}

}  // namespace

TERRACE_LAUNCHER_API void* terrace_rank_next_symbol(terrace_rank* rank, const char* name,
                                                    const void* caller) {
  const std::lock_guard lock(rank->job.opening());
  const link_map* const own = copy_at(*rank, caller);
  if (own == nullptr) return nullptr;
  for (const link_map* map = own->l_next; map != nullptr; map = map->l_next) {
    const bool is_copy = std::find(rank->maps.begin(), rank->maps.end(), map) != rank->maps.end();
    if (is_copy && may_define(*map, name)) return nullptr;
  }
  return symbol_of_process(rank->job, name);
}

TERRACE_LAUNCHER_API void* terrace_rank_open(terrace_rank* rank, const char* name, int flags,
                                             const char** error) {
  thread_local std::string sentence;
  if (name == nullptr || *name == '\0') return rank->handle;
  const Result<void*> handle = open_for(*rank, name, flags);
  if (handle) return handle.value();
  sentence = handle.error().sentence;
  *error = sentence.c_str();
  return nullptr;
}

TERRACE_LAUNCHER_API int terrace_rank_close(terrace_rank* rank, void* handle) {
  const std::lock_guard lock(rank->job.opening());
  const bool stays =
      handle == rank->handle || handle == rank->job.mpi().library ||
      std::any_of(rank->opened.begin(), rank->opened.end(),
                  [&](const OpenedLibrary& opened) { return opened.handle == handle; });
  return stays ? 0 : dlclose(handle);
}

TERRACE_LAUNCHER_API char* terrace_rank_error() {
  return dlerror();
}

TERRACE_LAUNCHER_API void* terrace_rank_symbol(terrace_rank* rank, const char* name) {
  std::vector<void*> handles = {rank->handle};
  {
    const std::lock_guard lock(rank->job.opening());
    for (const OpenedLibrary& opened : rank->opened)
      if (opened.is_global) handles.push_back(opened.handle);
  }
  for (void* const handle : handles)
    if (handle != nullptr)
      if (void* const found = dlsym(handle, name)) return found;
  return dlsym(RTLD_DEFAULT, name);
}

#if defined(__x86_64__)
extern "C" [[gnu::visibility("default"), gnu::naked]] void* terrace_rank_dlsym(void*, const char*) {
  __asm__("jmp dlsym@PLT");
}
#elif defined(__aarch64__)
// Not every compiler has naked functions here. The hint is `bti c`: calls may arrive.
__asm__(
    ".pushsection .text\n\t"
    ".balign 4\n\t"
    ".globl terrace_rank_dlsym\n\t"
    ".type terrace_rank_dlsym, %function\n"
    "terrace_rank_dlsym:\n\t"
    "hint #34\n\t"
    "b dlsym\n\t"
    ".size terrace_rank_dlsym, . - terrace_rank_dlsym\n\t"
    ".popsection");
#endif
