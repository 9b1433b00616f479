// SPDX-License-Identifier: BSD-3-Clause
// Asks the loader for libraries, and classifies them by name.
#include "launcher/elf/libraries.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/file_descriptor.hpp"

namespace terrace {

namespace {

/// "libX => PATH (ADDRESS)", "libX => not found", "PATH (ADDRESS)".
void add_line(std::string_view line, std::map<std::string, std::string>& paths) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == line.npos) return;
  line.remove_prefix(begin);
  const std::size_t arrow = line.find(" => ");
  const std::string_view behind = arrow == line.npos ? line : line.substr(arrow + 4);
  const std::string_view path = behind.substr(0, behind.rfind(" ("));
  const bool is_found = path != "not found";
  if (arrow != line.npos)
    paths[std::string(line.substr(0, arrow))] = is_found ? std::string(path) : "";
  else if (path.find('/') != path.npos)
    paths[std::string(path)] = std::string(path);
}

bool starts_with_any(std::string_view name, std::initializer_list<const char*> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const char* beginning) { return name.starts_with(beginning); });
}

}  // namespace

std::map<std::string, std::string> paths_in_list(std::string_view list) {
  std::map<std::string, std::string> paths;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find('\n'), list.size());
    add_line(list.substr(0, end), paths);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return paths;
}

Result<std::map<std::string, std::string>> libraries_of(const std::string& loader,
                                                        const std::string& path,
                                                        const std::string& preloaded) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return Error{ErrorCode::system, "cannot ask " + loader + " for the libraries of " + path +
                                        ": " + std::strerror(errno) + "; raise `ulimit -n`"};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // Not --list, which ends at the first library that is not found: the program's MPI need not be.
  std::string trace = "LD_TRACE_LOADED_OBJECTS=1";
  std::string preload = "LD_PRELOAD=" + preloaded;
  std::vector<char*> variables = {trace.data()};
  for (char** one = environ; *one != nullptr; ++one) variables.push_back(*one);
  if (!preloaded.empty()) variables.push_back(preload.data());  // the last one counts
  variables.push_back(nullptr);
  std::array<std::string, 2> words = {loader, path};
  std::array<char*, 3> pointers = {words[0].data(), words[1].data(), nullptr};
  pid_t child = 0;
  const int failure =
      posix_spawn(&child, loader.c_str(), &actions, nullptr, pointers.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  const std::string list = failure == 0 ? read_to_end(ends[0]) : "";
  close(ends[0]);
  if (failure == 0) waitpid(child, nullptr, 0);
  if (failure != 0)
    return Error{ErrorCode::system, "cannot run " + loader + ": " + std::strerror(failure)};
  return paths_in_list(list);
}

bool is_replaced(std::string_view name) {
  return name == "libmpi_mpifh.so.40";
}

std::string without_links(const std::string& path) {
  std::error_code failure;
  const auto canonical = std::filesystem::canonical(path, failure);
  return failure ? "" : canonical.string();
}

std::string file_in(const std::vector<std::string>& folders, const std::string& name) {
  std::error_code failure;
  for (const std::string& folder : folders)
    if (std::filesystem::exists(folder + "/" + name, failure)) return folder + "/" + name;
  return "";
}

LibraryOwner owner_of(std::string_view name) {
  if (starts_with_any(name, {"libmpi_abi.so.", "libmpi.so.12", "libmpich.so.12", "libmpi.so.40"}))
    return LibraryOwner::mpi;
  // The runtimes of sanitizers watch the whole process, and drivers of devices serve it.
  const bool is_shared = starts_with_any(name, {"libc.so.",       "libm.so.",
                                                "libmvec.so.",    "libdl.so.",
                                                "libpthread.so.", "librt.so.",
                                                "libutil.so.",    "libresolv.so.",
                                                "libanl.so.",     "libnsl.so.",
                                                "libgcc_s.so.",   "ld-linux",
                                                "linux-vdso",     "libquadmath.so.",
                                                "libasan.so.",    "libtsan.so.",
                                                "libubsan.so.",   "liblsan.so.",
                                                "libcuda.so",     "libnvidia-",
                                                "libamdhip64.so", "libhsa-runtime64.so",
                                                "libze_loader.so"});
  return is_shared || name.find("/ld-linux") != name.npos ? LibraryOwner::process
                                                          : LibraryOwner::rank;
}

std::string obstacle_in_name(std::string_view name) {
  const std::string its_name(name);
  if (name.starts_with("libmpi.so.20"))
    return "is built for Open MPI 2 (" + its_name +
           "); thread ranks need the ABI of Open MPI 3 or later, MPICH's, or the standard one";
  if (name.starts_with("libmpifort_abi."))
    return "calls MPI from Fortran by the ABI of MPI 5.0 (" + its_name +
           "), whose library needs functions inside its own MPI; thread ranks run programs that "
           "MPICH's or Intel MPI's compiler has linked to libmpifort.so.12";
  if (name.starts_with("libmpi_ilp64."))
    return "is built with integers of 8 bytes (ILP64: " + its_name +
           "), whose library needs functions inside Intel's own MPI; thread ranks run programs "
           "with integers of 4 bytes, made without -ilp64";
  return "";
}

}  // namespace terrace
