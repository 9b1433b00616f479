// SPDX-License-Identifier: BSD-3-Clause
// Finds Terrace's MPI, and its launcher interface.
#include "threadranks/process/rank_mpi.hpp"

#include <dlfcn.h>

#include "threadranks/elf/libraries.hpp"

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
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return Error{ErrorCode::system, dlerror()};
  abi.library = library;
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
