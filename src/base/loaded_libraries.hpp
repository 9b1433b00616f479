// SPDX-License-Identifier: BSD-3-Clause
// The shared libraries that this process has loaded, and which of them is an MPI.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace terrace {

/// Their paths, in the order of loading.
std::vector<std::string> loaded_libraries();

/// "libmpi.so.12" of "/usr/lib/libmpi.so.12".
std::string_view file_name(std::string_view path);

/// Whether a loaded library, or one that it needs, defines `name`.
bool defines(const std::string& library, const char* name);

/// The path of the library that contains an address; "" if none does.
std::string library_at(const void* address);

/// A function or object of a loaded MPI, even if that was loaded by dlopen outside the global scope
/// (as Python does). Null if there is none.
void* find_in_loaded_mpi(const char* name);

}  // namespace terrace
