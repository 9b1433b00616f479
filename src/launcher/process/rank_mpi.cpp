// SPDX-License-Identifier: BSD-3-Clause
// Finds Terrace's MPI, and its launcher interface.
#include "launcher/process/rank_mpi.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "launcher/elf/libraries.hpp"
#include "launcher/elf/private_copies.hpp"
#include "launcher/process/loaded_copies.hpp"

namespace terrace {

namespace {

template <class Function>
void find(Function& function, void* library, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

/// The file name of our library in place of the one that a program needs.
std::string our_name(const std::string& name) {
  if (name.starts_with("libmpi_abi.")) return "libmpi_abi.so.1";
  return name.starts_with("libmpi.so.40") ? "libmpi.so.40" : "libmpi.so.12";
}

/// Changes entries that the loader reads again whenever it looks for a library by name, or loads
/// one that needs this one. Ranks find libc and what stands before it globally, not behind their
/// MPI.
void hide_name_and_needs(const link_map& map, const Extent& unwritable) {
  const WritableAgain writable(map, unwritable);
  for (ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_NEEDED) entry->d_tag = DT_LOOS;  // as in elf_image.cpp
    if (entry->d_tag == DT_SONAME) entry->d_un.d_val = 0;   // the empty name
  }
}

/// Gives a loaded library one more name: a number of its file, which is closed afterwards.
Result<std::string> numbered(const RankLibrary& library, const void* handle) {
  const int number = fcntl(library.file->number(), F_DUPFD_CLOEXEC, kFirstNumber);
  if (number < 0) return Error{ErrorCode::system, library.path + ": " + std::strerror(errno)};
  const std::string name = std::to_string(number);
  const void* const found = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  close(number);
  if (found == handle) return name;
  return Error{ErrorCode::system, "the loader does not find " + library.path + " as an open file"};
}

/// Opens it before any other MPI is there, so that all of its own names are bound to itself.
Result<bool> open_for_ranks(const std::string& path, RankAbi& abi) {
  const Result<RankLibrary> file = read_library(path);
  if (!file) return file.error();
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  link_map* map = nullptr;
  if (library == nullptr || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
    return Error{ErrorCode::system, dlerror()};
  auto name = numbered(file.value(), library);
  if (!name) return name.error();
  hide_name_and_needs(*map, file.value().image.unwritable_later());
  abi.library = library;
  abi.name = std::move(name).value();
  return true;
}

}  // namespace

Result<RankAbi> load_mpi(const std::set<std::string>& names,
                         const std::vector<std::string>& folders) {
  RankAbi abi;
  std::set<std::string> ours;
  for (const std::string& name : names) ours.insert(our_name(name));
  if (ours.empty()) return abi;
  if (ours.size() > 1)
    return Error{ErrorCode::unsupported, "it needs the MPI of two ABIs at once, " + *ours.begin() +
                                             " and " + *ours.rbegin()};
  const std::string path = file_in(folders, *ours.begin());
  if (path.empty())
    return Error{ErrorCode::system, "Terrace's " + *ours.begin() + " is not in " + folders.front() +
                                        "; was it built and installed?"};
  const auto opened = open_for_ranks(path, abi);
  if (!opened) return opened.error();
  void* const library = abi.library;
  find(abi.begin, library, "terrace_ranks_begin");
  find(abi.place, library, "terrace_ranks_place");
  find(abi.obstacle_to_workers, library, "terrace_ranks_obstacle_to_workers");
  find(abi.enter, library, "terrace_ranks_enter");
  find(abi.keep_thread, library, "terrace_ranks_keep_thread");
  find(abi.signal, library, "terrace_ranks_signal");
  find(abi.pass, library, "terrace_ranks_pass");
  find(abi.leave, library, "terrace_ranks_leave");
  find(abi.disconnect, library, "terrace_ranks_disconnect");
  find(abi.end, library, "terrace_ranks_end");
  if (abi.begin == nullptr || abi.obstacle_to_workers == nullptr || abi.keep_thread == nullptr ||
      abi.signal == nullptr || abi.pass == nullptr || abi.enter == nullptr ||
      abi.leave == nullptr || abi.disconnect == nullptr || abi.end == nullptr)
    return Error{ErrorCode::system, path + " is from another release"};
  return abi;
}

}  // namespace terrace
