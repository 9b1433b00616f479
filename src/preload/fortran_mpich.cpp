// SPDX-License-Identifier: BSD-3-Clause
// Fortran's entry point of MPICH that goes past the C functions: mpi_f08's calls without a buffer
// call PMPI_X. Handles are the same integers as in C.
#include "preload/abi_mpich.hpp"

namespace terrace::preload {
namespace abi = mpich;
}

#include "preload/calls.hpp"
#include "preload/functions.hpp"

namespace terrace::preload {

/// `error` is absent where mpi_f08's optional argument was.
extern "C" __attribute__((visibility("default"))) void mpi_barrier_f08_(const int* comm,
                                                                        int* error) {
  static const Function<void(const int*, int*)> next("mpi_barrier_f08_");
  if (!run_barrier({widen(*comm)})) {
    if (next) next(comm, error);
  } else if (error != nullptr) {
    *error = 0;
  }
}

}  // namespace terrace::preload
