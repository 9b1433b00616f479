// SPDX-License-Identifier: BSD-3-Clause
// Handles as numbers, for Fortran and other languages: handles are numbers. And what the ABI has as
// variables and functions where others have constants.
#include "threadranks/mpi/adapter.hpp"

#define TERRACE_NUMBERS(kind, Native)                  \
  TERRACE_MPI(int, kind##_toint, (Native handle)) {    \
    return handle;                                     \
  }                                                    \
  TERRACE_MPI(Native, kind##_fromint, (int number)) {  \
    return number;                                     \
  }                                                    \
  TERRACE_MPI(MPI_Fint, kind##_c2f, (Native handle)) { \
    return handle;                                     \
  }                                                    \
  TERRACE_MPI(Native, kind##_f2c, (MPI_Fint number)) { \
    return number;                                     \
  }
TERRACE_NUMBERS(Comm, MPI_Comm)
TERRACE_NUMBERS(Errhandler, MPI_Errhandler)
TERRACE_NUMBERS(Group, MPI_Group)
TERRACE_NUMBERS(Info, MPI_Info)
TERRACE_NUMBERS(Message, MPI_Message)
TERRACE_NUMBERS(Op, MPI_Op)
TERRACE_NUMBERS(Request, MPI_Request)
TERRACE_NUMBERS(Type, MPI_Datatype)

int MPIR_Dup_fn(MPI_Comm, int, void*, void* value, void* copy, int* flag) {
  *static_cast<void**>(copy) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

namespace {

int unweighted = 0, no_weights = 0;

}  // namespace

int* const MPI_UNWEIGHTED = &unweighted;
int* const MPI_WEIGHTS_EMPTY = &no_weights;
MPI_Fint* MPI_F_STATUS_IGNORE = nullptr;
MPI_Fint* MPI_F_STATUSES_IGNORE = nullptr;
