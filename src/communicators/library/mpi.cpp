// SPDX-License-Identifier: BSD-3-Clause
// Identifies the MPI of this process by the library that defines its functions.
#include "communicators/library/mpi.hpp"

#include <dlfcn.h>

#include "base/loaded_libraries.hpp"
#include "base/say.hpp"

namespace terrace::communicators {
namespace {

std::unique_ptr<Mpi> find() {
  const std::string library = library_at(find_symbol("PMPI_Comm_split"));
  if (library.empty()) return nullptr;
  if (file_name(library).starts_with("libmpi_abi")) return standard::adapter();
  return defines(library, "ompi_mpi_comm_world") ? openmpi::adapter() : mpich::adapter();
}

}  // namespace

void* find_symbol(const char* name) {
  void* found = dlsym(RTLD_DEFAULT, name);
  return found ? found : find_in_loaded_mpi(name);
}

Mpi* mpi_of_this_process() {
  static Mpi* const mpi = find().release();  // never destroyed: MPI may outlive us
  if (mpi == nullptr)
    say_once(
        "no MPI of a known binary interface in this process, so it cannot split communicators: "
        "link the program with MPICH, Open MPI or an MPI of their ABIs, as shared libraries");
  return mpi;
}

}  // namespace terrace::communicators
