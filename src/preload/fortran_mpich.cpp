// SPDX-License-Identifier: BSD-3-Clause
// Fortran's entry points of MPICH that go past the C functions: mpi_f08's calls without a buffer
// call PMPI_X. Handles are the same integers as in C.
#include "preload/abi_mpich.hpp"

namespace terrace::preload {
namespace abi = mpich;
}

#include "preload/calls.hpp"
#include "preload/functions.hpp"
#include "preload/memberships.hpp"

namespace terrace::preload {

namespace {

void free_by(const Function<void(int*, int*)>& next, int* comm, int* error) {
  int own_error = 0;
  if (error == nullptr) error = &own_error;
  Ending ending(widen(*comm));
  if (next) next(comm, error);
  if (*error != 0) ending.fail();
}

}  // namespace

#define TERRACE_ENTRY extern "C" __attribute__((visibility("default"))) void

// `error` is absent where mpi_f08's optional argument was.

TERRACE_ENTRY mpi_barrier_f08_(const int* comm, int* error) {
  static const Function<void(const int*, int*)> next("mpi_barrier_f08_");
  if (!run_barrier({widen(*comm)})) {
    if (next) next(comm, error);
  } else if (error != nullptr) {
    *error = 0;
  }
}

TERRACE_ENTRY mpi_comm_free_f08_(int* comm, int* error) {
  static const Function<void(int*, int*)> next("mpi_comm_free_f08_");
  free_by(next, comm, error);
}

TERRACE_ENTRY mpi_comm_disconnect_f08_(int* comm, int* error) {
  static const Function<void(int*, int*)> next("mpi_comm_disconnect_f08_");
  free_by(next, comm, error);
}

}  // namespace terrace::preload
