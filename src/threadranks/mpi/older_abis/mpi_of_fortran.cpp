// SPDX-License-Identifier: BSD-3-Clause
// Variables of MPICH's library that its library for Fortran reads and writes: where the constants
// of Fortran lie (MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE...), which that language knows by
// their address. They lie in COMMON blocks, of which each rank has its own, so each rank has these
// variables. The library of MPICH's ABI has them too, for a program that is the only rank of its
// job.

using Fint = int;

#pragma GCC visibility push(default)

extern "C" {

// Variables that Fortran's library sets when it is first called.
Fint* MPI_F_STATUS_IGNORE = nullptr;
Fint* MPI_F_STATUSES_IGNORE = nullptr;

// Variables of Intel's, which has more of them in its MPI.
void* MPIR_F_MPI_BOTTOM = nullptr;
void* MPIR_F_MPI_IN_PLACE = nullptr;
void* MPIR_F_MPI_UNWEIGHTED = nullptr;
void* MPIR_F_MPI_WEIGHTS_EMPTY = nullptr;
void* MPIR_F_MPI_BUFFER_AUTOMATIC = nullptr;
Fint* MPI_F_ERRCODES_IGNORE = nullptr;
void* MPI_F_ARGV_NULL = nullptr;
void* MPI_F_ARGVS_NULL = nullptr;

// Constants of the module mpi_f08: variables, defined by Fortran's library too, which comes first.
Fint MPIR_F08_MPI_STATUS_IGNORE_OBJ[5];
Fint MPIR_F08_MPI_STATUSES_IGNORE_OBJ[5];
int* MPIR_C_MPI_UNWEIGHTED = nullptr;
int* MPIR_C_MPI_WEIGHTS_EMPTY = nullptr;
Fint* MPI_F08_STATUS_IGNORE = MPIR_F08_MPI_STATUS_IGNORE_OBJ;
Fint* MPI_F08_STATUSES_IGNORE = MPIR_F08_MPI_STATUSES_IGNORE_OBJ;

// Constants of the job's MPI, if it has MPICH's ABI.
extern int* const MPI_UNWEIGHTED [[gnu::weak]];
extern int* const MPI_WEIGHTS_EMPTY [[gnu::weak]];

// The COMMON blocks of mpif.h, where Fortran's library leaves it to its MPI to find them: Intel's.
struct Private1 {
  Fint bottom, in_place, status_ignore[5];
};
struct Private2 {
  Fint statuses_ignore[5], errcodes_ignore[1];
};
struct Private3 {
  char argvs_null[1], argv_null[1];
};
extern Private1 mpipriv1_ [[gnu::weak]];
extern Private2 mpipriv2_ [[gnu::weak]];
extern Private3 mpiprivc_ [[gnu::weak]];
extern Fint mpifcmb5_ [[gnu::weak]];
extern Fint mpifcmb9_ [[gnu::weak]];
extern Fint mpifcmba_ [[gnu::weak]];

void mpirinitf_() {
  if (&mpipriv1_ == nullptr || &mpipriv2_ == nullptr || &mpiprivc_ == nullptr) return;
  MPIR_F_MPI_BOTTOM = &mpipriv1_.bottom;
  MPIR_F_MPI_IN_PLACE = &mpipriv1_.in_place;
  MPI_F_STATUS_IGNORE = mpipriv1_.status_ignore;
  MPI_F_STATUSES_IGNORE = mpipriv2_.statuses_ignore;
  MPI_F_ERRCODES_IGNORE = mpipriv2_.errcodes_ignore;
  MPI_F_ARGVS_NULL = mpiprivc_.argvs_null;
  MPI_F_ARGV_NULL = mpiprivc_.argv_null;
  mpiprivc_.argv_null[0] = ' ';
  MPIR_F_MPI_UNWEIGHTED = &mpifcmb5_;
  MPIR_F_MPI_WEIGHTS_EMPTY = &mpifcmb9_;
  MPIR_F_MPI_BUFFER_AUTOMATIC = &mpifcmba_;
}

}  // extern "C"

namespace {

/// Sets the weights as MPI_Init does under MPICH. Runs before the program's own constructors.
[[gnu::constructor]] void begin_weights() {
  if (&MPI_UNWEIGHTED != nullptr) MPIR_C_MPI_UNWEIGHTED = MPI_UNWEIGHTED;
  if (&MPI_WEIGHTS_EMPTY != nullptr) MPIR_C_MPI_WEIGHTS_EMPTY = MPI_WEIGHTS_EMPTY;
}

}  // namespace

#pragma GCC visibility pop
