// SPDX-License-Identifier: BSD-3-Clause
// Fortran's entry points of MPICH and its kin that go past the C functions: mpi_f08's calls without
// a buffer call PMPI_X. Open MPI has them, too; there they call what fortran_openmpi.cpp catches.
#include "preload/abi_mpich.hpp"
#include "preload/abi_standard.hpp"
#include "preload/calls.hpp"
#include "preload/function.hpp"
#include "preload/handed.hpp"
#include "preload/memberships.hpp"
#include "preload/split_type.hpp"

namespace terrace::preload {

namespace {

/// The integers are the handles of MPICH's ABI; the standard ABI has a function for it.
Handle comm_in_c(int comm, const MpiBelow& below) {
  static const Function<standard::Comm(int)> from_int("PMPI_Comm_fromint");
  if (below.abi == Abi::standard) return widen(from_int(comm));
  return widen<mpich::Comm>(comm);
}

Handle info_in_c(int info, const MpiBelow& below) {
  static const Function<standard::Comm(int)> from_int("PMPI_Info_fromint");
  if (below.abi == Abi::standard) return widen(from_int(info));
  return widen<mpich::Comm>(info);
}

/// What C has put where `newcomm` points.
int comm_in_fortran(const void* newcomm, const MpiBelow& below) {
  static const Function<int(standard::Comm)> to_int("PMPI_Comm_toint");
  if (below.abi == Abi::standard) return to_int(*static_cast<const standard::Comm*>(newcomm));
  return *static_cast<const mpich::Comm*>(newcomm);
}

/// Null: the call is to go on.
const MpiBelow* mpich_below() {
  const MpiBelow* below = mpi_below();
  return below != nullptr && below->abi != Abi::openmpi ? below : nullptr;
}

void free_by(const Function<void(int*, int*)>& next, int* comm, int* error) {
  const MpiBelow* below = mpich_below();
  if (below == nullptr) {
    if (next) next(comm, error);
    return;
  }
  int own_error = 0;
  if (error == nullptr) error = &own_error;
  Ending ending(comm_in_c(*comm, *below));
  if (next) next(comm, error);
  if (*error != 0) ending.fail();
}

}  // namespace

#define TERRACE_ENTRY extern "C" __attribute__((visibility("default"))) void

// `error` is absent where mpi_f08's optional argument was.

TERRACE_ENTRY mpi_barrier_f08_(const int* comm, int* error) {
  static const Function<void(const int*, int*)> next("mpi_barrier_f08_");
  const MpiBelow* below = mpich_below();
  if (below == nullptr || !run_barrier({comm_in_c(*comm, *below)})) {
    const HandedOver handed;
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

TERRACE_ENTRY mpi_comm_split_type_f08_(int* comm, int* type, int* key, int* info, int* newcomm,
                                       int* error) {
  static const Function<void(int*, int*, int*, int*, int*, int*)> next("mpi_comm_split_type_f08_");
  const MpiBelow* below = mpich_below();
  standard::Comm made{};  // room for the handle of either ABI
  const auto own_error =
      below == nullptr
          ? std::nullopt
          : run_split_type({comm_in_c(*comm, *below), *type, *key, info_in_c(*info, *below)},
                           &made);
  if (!own_error) {
    if (next) next(comm, type, key, info, newcomm, error);
    return;
  }
  *newcomm = comm_in_fortran(&made, *below);
  if (error != nullptr) *error = *own_error;
}

}  // namespace terrace::preload
