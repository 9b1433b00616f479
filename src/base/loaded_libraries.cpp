// SPDX-License-Identifier: BSD-3-Clause
// Walks through the libraries of this process.
#include "base/loaded_libraries.hpp"

#include <dlfcn.h>
#include <link.h>

namespace terrace {

std::vector<std::string> loaded_libraries() {
  std::vector<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* into) {
        if (library->dlpi_name && *library->dlpi_name)
          static_cast<std::vector<std::string>*>(into)->emplace_back(library->dlpi_name);
        return 0;
      },
      &paths);
  return paths;
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);  // npos + 1 is 0
}

bool defines(const std::string& library, const char* name) {
  void* opened = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (opened == nullptr) return false;
  const bool is_there = dlsym(opened, name) != nullptr;
  dlclose(opened);
  return is_there;
}

std::string library_at(const void* address) {
  Dl_info found{};
  return address && dladdr(address, &found) && found.dli_fname ? found.dli_fname : "";
}

void* find_in_loaded_mpi(const char* name) {
  for (const std::string& path : loaded_libraries()) {
    const std::string_view file = file_name(path);
    if (!file.starts_with("libmpi") && !file.starts_with("libpmpi")) continue;
    void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    if (void* found = dlsym(library, name)) return found;  // keeps the library loaded
    dlclose(library);
  }
  return nullptr;
}

}  // namespace terrace
