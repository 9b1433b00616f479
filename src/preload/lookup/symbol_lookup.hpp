// SPDX-License-Identifier: BSD-3-Clause
// The chain of libraries that a call passes: Terrace, tools, MPI. Finds the next one.
#pragma once

#include <string>

#include "base/loaded_libraries.hpp"

namespace terrace::preload {

/// The beginning of the file names of our preload libraries.
inline constexpr const char* kOurFileNames = "libterrace-mpi";
/// The beginning of the file names of all libraries of Terrace.
inline constexpr const char* kLibrariesOfTerrace = "libterrace-";

/// The next definition of `name` after this library: a tool's or the MPI's. If the MPI was loaded
/// by dlopen (as Python does), outside our scope: the MPI's own. Null if there is none.
void* find_next(const std::string& name);

/// Whether the next definition of MPI_X after this library is a tool's: it is neither in the
/// library that has PMPI_X nor in one of ours. Tools are loaded with the program, so the answer
/// does not change.
bool is_tool_after_us(const char* name);

/// Whether a tool defines MPI_X, before us (or in the program itself) or after us.
bool is_tool_anywhere(const char* name);

/// Whether all functions that complete requests, as the program sees them, come to this library, if
/// need be by a tool; and the MPI follows no standard with newer ones (501: 5.1). Otherwise
/// nonblocking calls are the MPI's.
bool completions_reach_us(int standard);

/// The address of a global object as the whole program sees it. If the program holds its own copy
/// of a library's object, that copy is the one in use. Null if there is none.
void* find_object(const char* name);

/// The path of a loaded library whose file name begins with `prefix`; "" if there is none.
std::string loaded_library(const char* prefix);

/// The path of the library that `find_next` finds a function in; "" if there is none.
std::string library_of(const char* name);

/// Whether no other library of ours was loaded before this one, as may happen with nested `terrace
/// exec`. Only the first may intercept calls: the second would see some of them.
bool is_first_of_our_kind();

/// Identifies the build of this library: ranks with different ones do not form a team.
std::string build_stamp();

}  // namespace terrace::preload
