// SPDX-License-Identifier: BSD-3-Clause
// Walks through the libraries of this process.
#include "preload/interpose/symbol_lookup.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace terrace::preload {

namespace {

/// Where to look for this library's build id, and what was found.
struct StampSearch {
  const void* own = nullptr;  ///< an address inside this library
  std::string stamp;
};

bool holds(const dl_phdr_info& library, const void* address) {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    const auto& segment = library.dlpi_phdr[i];
    const std::uintptr_t begin = library.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && place >= begin && place < begin + segment.p_memsz) return true;
  }
  return false;
}

std::size_t padded(std::size_t bytes) {
  return (bytes + 3) / 4 * 4;
}

/// The linker's hash of the whole library, from one of its notes.
std::string build_id_in(const std::byte* notes, std::size_t bytes) {
  for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= bytes;) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof note);
    const std::size_t name = at + sizeof note;
    const std::size_t content = name + padded(note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes + name, "GNU", 4) == 0)
      return std::string(reinterpret_cast<const char*>(notes + content), note.n_descsz);
    at = content + padded(note.n_descsz);
  }
  return "";
}

int look_for_stamp(dl_phdr_info* library, std::size_t, void* into) {
  StampSearch& search = *static_cast<StampSearch*>(into);
  if (!holds(*library, search.own)) return 0;
  for (int i = 0; i < library->dlpi_phnum && search.stamp.empty(); ++i)
    if (const auto& segment = library->dlpi_phdr[i]; segment.p_type == PT_NOTE)
      search.stamp =
          build_id_in(reinterpret_cast<const std::byte*>(library->dlpi_addr + segment.p_vaddr),
                      segment.p_memsz);
  return 1;
}

/// Stops at the first library of Terrace, and reports whether it is this one.
int look_for_ours(dl_phdr_info* library, std::size_t, void* into) {
  if (!library->dlpi_name || !file_name(library->dlpi_name).starts_with(kOurFileNames)) return 0;
  *static_cast<bool*>(into) = holds(*library, reinterpret_cast<const void*>(&look_for_ours));
  return 1;
}

/// Whether this definition of MPI_X is neither the MPI's nor Terrace's.
bool is_tools(const char* name, const void* definition) {
  const std::string library = library_at(definition);
  return !library.empty() && !file_name(library).starts_with(kOurFileNames) &&
         library != library_of((std::string("P") + name).c_str());
}

}  // namespace

void* find_next(const std::string& name) {
  void* found = dlsym(RTLD_NEXT, name.c_str());
  return found ? found : find_in_loaded_mpi(name.c_str());
}

bool is_tool_after_us(const char* name) {
  return is_tools(name, dlsym(RTLD_NEXT, name));
}

bool is_tool_anywhere(const char* name) {
  return is_tools(name, dlsym(RTLD_DEFAULT, name)) || is_tool_after_us(name);
}

void* find_object(const char* name) {
  void* found = dlsym(RTLD_DEFAULT, name);
  return found ? found : find_in_loaded_mpi(name);
}

std::string loaded_library(const char* prefix) {
  for (const std::string& path : loaded_libraries())
    if (file_name(path).starts_with(prefix)) return path;
  return "";
}

std::string library_of(const char* name) {
  return library_at(find_next(name));
}

bool is_first_of_our_kind() {
  bool is_first = true;
  dl_iterate_phdr(look_for_ours, &is_first);
  return is_first;
}

std::string build_stamp() {
  StampSearch search;
  search.own = reinterpret_cast<const void*>(&look_for_stamp);
  dl_iterate_phdr(look_for_stamp, &search);
  return search.stamp.empty() ? TERRACE_VERSION : search.stamp;
}

}  // namespace terrace::preload
