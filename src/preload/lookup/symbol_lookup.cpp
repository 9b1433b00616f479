// SPDX-License-Identifier: BSD-3-Clause
// Walks through the libraries of this process.
#include "preload/lookup/symbol_lookup.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/build_id.hpp"

namespace terrace::preload {

namespace {

/// Stops at the first library of Terrace, and reports whether it is this one.
int look_for_ours(dl_phdr_info* library, std::size_t, void* into) {
  if (!library->dlpi_name || !file_name(library->dlpi_name).starts_with(kOurFileNames)) return 0;
  *static_cast<bool*>(into) = holds(*library, reinterpret_cast<const void*>(&look_for_ours));
  return 1;
}

bool reaches_us(const char* name) {
  const auto is_ours = [](const std::string& function) {
    const void* const definition = dlsym(RTLD_DEFAULT, function.c_str());
    return file_name(library_at(definition)).starts_with(kOurFileNames);
  };
  return is_ours(name) || (is_tool_anywhere(name) && is_ours(std::string("P") + name));
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

bool completions_reach_us(int standard) {
  constexpr int kNewest = 500;
  constexpr const char* kFunctions[] = {
      "MPI_Wait",    "MPI_Waitall", "MPI_Waitany",  "MPI_Waitsome",           "MPI_Test",
      "MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Request_get_status", "MPI_Request_free",
      "MPI_Cancel",  "MPI_Start",   "MPI_Startall"};
  return standard <= kNewest &&
         std::all_of(std::begin(kFunctions), std::end(kFunctions), reaches_us);
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
  const std::string id = build_id_at(reinterpret_cast<const void*>(&build_stamp));
  return id.empty() ? TERRACE_VERSION : id;
}

}  // namespace terrace::preload
