// SPDX-License-Identifier: BSD-3-Clause
// The libraries of a program: where the dynamic loader finds them, and which of them the ranks
// share because there can be only one in a process.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace terrace {

/// Paths by name, as the loader prints them with --list; "" for what it does not find.
std::map<std::string, std::string> paths_in_list(std::string_view list);

/// The same for a program or library, asked of the dynamic loader itself, so that its search is
/// followed in all its rules. Errors: system, if the loader cannot be run.
Result<std::map<std::string, std::string>> libraries_of(const std::string& loader,
                                                        const std::string& path);

/// Where a library comes from.
enum class LibraryOwner : unsigned char {
  rank,     ///< each rank has a copy
  process,  ///< libc and what belongs to it: one for all
  mpi,      ///< our own MPI
};
LibraryOwner owner_of(std::string_view name);

/// The MPI whose ABI Terrace does not provide: "Open MPI"; "" otherwise.
std::string foreign_mpi(std::string_view name);
/// Of MPI's Fortran in MPICH's ABI, which wants more of its MPI than functions of MPI.
bool is_mpi_of_fortran(std::string_view name);

}  // namespace terrace
