// SPDX-License-Identifier: BSD-3-Clause
// The libraries of a program: where the dynamic loader finds them, and which of them all ranks
// share because a process can have only one.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace terrace {

/// Paths by name, from the loader's output with --list; "" for libraries that it does not find.
std::map<std::string, std::string> paths_in_list(std::string_view list);

/// Finds the paths for a program or library by running the dynamic loader itself, so that all its
/// search rules are followed; `preloaded`, if it is not empty, is one more library that it shall
/// look for. Errors: system, if the loader cannot be run.
Result<std::map<std::string, std::string>> libraries_of(const std::string& loader,
                                                        const std::string& path,
                                                        const std::string& preloaded = "");

/// Whether Terrace has a library of its own in place of an MPI's: Open MPI's for Fortran needs the
/// inside of its own MPI.
bool is_replaced(std::string_view name);
/// The path of the file itself, behind all links; "": there is no such file.
std::string without_links(const std::string& path);
/// The path of a file in the first of the folders that has it; "": none has it.
std::string file_in(const std::vector<std::string>& folders, const std::string& name);

/// The provider of a library.
enum class LibraryOwner : unsigned char {
  rank,     ///< each rank has a copy
  process,  ///< libc and what belongs to it: one for all
  mpi,      ///< our own MPI
};
LibraryOwner owner_of(std::string_view name);

/// Why a library of this name keeps what needs it from being a thread rank, as the end of a
/// sentence about its user; "": it does not.
std::string obstacle_in_name(std::string_view name);

}  // namespace terrace
