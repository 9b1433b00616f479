// SPDX-License-Identifier: BSD-3-Clause
// Conversions of handles for Fortran and other languages: MPICH's handles are integers already.
// Also variables and functions of this ABI that are constants in others.
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

int unweighted = 0, no_weights = 0, all_handles = 0;

}  // namespace

// Symbols that MPICH's and Intel's library for MPI 2's C++ bindings needs from its MPI. Programs
// may be linked with that library and use nothing of it.
#define TERRACE_OF_CPP(name, parameters)                                                       \
  extern "C" [[gnu::visibility("default")]] void name parameters {                             \
    terrace::threadranks::mpi::fail(#name, MPI_ERR_UNSUPPORTED_OPERATION,                      \
                                    "thread ranks do not call functions that a program has "   \
                                    "given to MPI by its C++ classes, which MPI 3.0 removed"); \
  }
TERRACE_OF_CPP(MPII_Errhandler_set_cxx, (MPI_Errhandler, void (*)()))
TERRACE_OF_CPP(MPII_Keyval_set_proxy, (int, void*, void*))
TERRACE_OF_CPP(MPII_Op_set_cxx, (MPI_Op, void (*)()))

const MPI_T_pvar_handle MPI_T_PVAR_ALL_HANDLES = reinterpret_cast<MPI_T_pvar_handle>(&all_handles);
int* const MPI_UNWEIGHTED = &unweighted;
int* const MPI_WEIGHTS_EMPTY = &no_weights;
MPI_Fint* MPI_F_STATUS_IGNORE = nullptr;
MPI_Fint* MPI_F_STATUSES_IGNORE = nullptr;
