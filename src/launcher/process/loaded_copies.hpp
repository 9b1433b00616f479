// SPDX-License-Identifier: BSD-3-Clause
// Copies that the loader has loaded: what the launcher does with their memory.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <string>
#include <vector>

#include "launcher/process/launched_job.hpp"

namespace terrace {

/// libc's own function: AddressSanitizer's does not let libraries come before it in a scope; here
/// it need not watch any.
void* open_by_loader(const char* name, int flags);

/// Returns what the loader knows of a copy, by the copy's name; null: it is not loaded.
link_map* map_named(const std::string& name);

/// Maps the parts of a copy that are those of the file: all ranks then have the same pages.
void take_from_file(const terrace_rank& rank, const PrivateCopy& copy, const link_map& map);

/// Lets what the loader has made read-only after relocation be written, for its life.
class WritableAgain {
 public:
  WritableAgain(const link_map& map, const Extent& unwritable);
  ~WritableAgain();
  WritableAgain(const WritableAgain&) = delete;
  WritableAgain& operator=(const WritableAgain&) = delete;

 private:
  void* begin_;
  std::size_t bytes_ = 0;
};

/// The process's symbol of that name, as ranks find it: in their MPI first, which only they see.
void* symbol_of_process(const LaunchedJob& job, const char* name);

/// The loader's sentence about a failure, with files' paths in place of the copies', and the reason
/// where that is the MPI.
std::string with_paths(std::string sentence, const std::vector<PrivateCopy>& copies);

/// The loader's path of a copy is a number; tools that look for symbols or print backtraces need
/// the file that it is a copy of. Nothing else reads the path once the copy is loaded.
void give_real_name(const PrivateCopy& copy);

}  // namespace terrace
