// SPDX-License-Identifier: BSD-3-Clause
// Finds out what a program needs from `terrace exec`: the MPI that it will call, and large-count
// functions if that MPI has them.
#pragma once

#include <string>

namespace terrace {

/// Returns where the shell would find a program; "" if nowhere.
std::string path_of_program(const std::string& program);

/// A program in machine code: no script.
bool is_binary(const std::string& path);

/// ... that a dynamic loader prepares: only before such a one can a library stand.
bool is_dynamic(const std::string& path);

/// Why programs cannot be looked into, half a sentence: too many files are open; "" if they can.
std::string obstacle_to_looking();

/// The MPI that a program's loader would load, for it or for one of its libraries.
struct LinkedMpi {
  std::string abi;      ///< "mpich", "openmpi", "standard"; "" if it is linked to none that we know
  std::string library;  ///< path
};
LinkedMpi mpi_linked_to(const std::string& program);

/// Whether an MPI has the functions MPI_X_c. Programs judge by their presence, so a library that
/// stands before the MPI must not add them.
bool defines_large_counts(const std::string& library);
/// Whether it has the functions MPI_X_init, likewise.
bool defines_persistent_collectives(const std::string& library);

/// The MPI that lies beside its launcher, hydra (MPICH's and Intel's) or Open MPI's, that has
/// started this process; "" if none has, or there is none.
std::string library_of_mpis_launcher();

/// The MPI beside its launcher, or under srun beside the first `mpiexec` on the PATH.
std::string library_of_launcher();

/// The path of one of our libraries, beside this program, as built or as installed; "" if it is not
/// there.
std::string path_of_library(const std::string& name);

}  // namespace terrace
