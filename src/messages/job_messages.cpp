// SPDX-License-Identifier: BSD-3-Clause
// Loads an MPI. See job_messages.hpp.
#include "messages/job_messages.hpp"

#include <dlfcn.h>

#include "base/loaded_libraries.hpp"

namespace terrace::messages {

Result<std::unique_ptr<JobMessages>> begin_messages(const std::string& library,
                                                    const std::atomic<bool>& is_stopped) {
  // Its plugins look for its functions in the global scope.
  if (dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    const char* const why = dlerror();
    return Error{ErrorCode::argument,
                 "cannot load the MPI " + library + ": " + (why ? why : "for an unknown reason")};
  }
  std::unique_ptr<JobMessages> made;
  if (find_in_loaded_mpi("ompi_mpi_comm_world") != nullptr)
    made = openmpi::adapter(is_stopped);
  else
    made = file_name(library).starts_with("libmpi_abi") ? standard::adapter(is_stopped)
                                                        : mpich::adapter(is_stopped);
  if (!made)
    return Error{
        ErrorCode::argument,
        library +
            " is not an MPI that Terrace knows: expected the library of MPICH, Open MPI or "
            "their kin, such as libmpi.so.12 or libmpi.so.40"};
  return made;
}

}  // namespace terrace::messages
