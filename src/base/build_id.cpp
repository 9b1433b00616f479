// SPDX-License-Identifier: BSD-3-Clause
// Reads the notes of a loaded library.
#include "base/build_id.hpp"

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace terrace {

bool holds(const dl_phdr_info& library, const void* address) {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    const auto& segment = library.dlpi_phdr[i];
    const std::uintptr_t begin = library.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && place >= begin && place < begin + segment.p_memsz) return true;
  }
  return false;
}

namespace {

/// A search for a library's build id, and what it has found.
struct IdSearch {
  const void* own = nullptr;  ///< an address inside the library
  std::string id;
};

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

int look_for_id(dl_phdr_info* library, std::size_t, void* into) {
  IdSearch& search = *static_cast<IdSearch*>(into);
  if (!holds(*library, search.own)) return 0;
  for (int i = 0; i < library->dlpi_phnum && search.id.empty(); ++i)
    if (const auto& segment = library->dlpi_phdr[i]; segment.p_type == PT_NOTE)
      search.id =
          build_id_in(reinterpret_cast<const std::byte*>(library->dlpi_addr + segment.p_vaddr),
                      segment.p_memsz);
  return 1;
}

}  // namespace

std::string build_id_at(const void* address) {
  IdSearch search;
  search.own = address;
  dl_iterate_phdr(look_for_id, &search);
  return search.id;
}

}  // namespace terrace
