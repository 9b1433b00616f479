// SPDX-License-Identifier: BSD-3-Clause
// What the libraries of this ABI's family for other languages need from their MPI beyond MPI's own
// functions: attributes that are numbers, callbacks that are not C's, and functions that are no
// part of MPI. Those libraries (libmpifort, libmpichfort, libmpicxx) are loaded as they are, a copy
// for each rank.
#include <cstdlib>

#include "threadranks/mpi/adapter.hpp"

namespace mpi = terrace::threadranks::mpi;

#pragma GCC visibility push(default)

extern "C" {

extern const MPI_Fint MPII_F_TRUE, MPII_F_FALSE;
const MPI_Fint MPII_F_TRUE = 1, MPII_F_FALSE = 0;

// Callbacks.

/// The module mpi_f08 passes the same arguments as C.
void MPII_Op_set_f08(MPI_Op) {}

// Functions of C++'s classes. Programs may be linked with their library and use nothing of it.
#define TERRACE_OF_CPP(name, parameters)                                        \
  void name parameters {                                                        \
    mpi::fail(#name, MPI_ERR_UNSUPPORTED_OPERATION,                             \
              "thread ranks do not call functions that a program has given to " \
              "MPI by its C++ classes, which MPI 3.0 removed");                 \
  }
TERRACE_OF_CPP(MPII_Errhandler_set_cxx, (MPI_Errhandler, void (*)()))
TERRACE_OF_CPP(MPII_Op_set_cxx, (MPI_Op, void (*)()))

// Memory of Intel's.

void* impi_malloc(std::size_t bytes) {
  return std::malloc(bytes);
}
void* impi_realloc(void* block, std::size_t bytes) {
  return std::realloc(block, bytes);
}
void impi_free(void* block) {
  std::free(block);
}

// Errors that the library for Fortran itself finds. A code is its class here.

int MPIR_Err_create_code(int, int, const char*, int, int error_class, const char*, const char*,
                         ...) {
  return error_class;
}
int MPIR_Err_return_comm(void*, const char* function, int error_class) {
  return mpi::fail(function, error_class, mpi::sentence_of(error_class));
}

}  // extern "C"

// Functions beyond MPI.

// Earlier names of functions that later became standard.

TERRACE_MPIX(int, Delete_error_class, (int error_class)) {
  return PMPI_Remove_error_class(error_class);
}
TERRACE_MPIX(int, Delete_error_code, (int code)) {
  return PMPI_Remove_error_code(code);
}
TERRACE_MPIX(int, Delete_error_string, (int code)) {
  return PMPI_Remove_error_string(code);
}

TERRACE_MPIX(int, Comm_test_threadcomm, (MPI_Comm, int* flag)) {
  *flag = 0;
  return MPI_SUCCESS;
}

// Windows whose accesses notify their targets: Intel's, not there.
#define TERRACE_OF_WINDOWS(name)                                                             \
  TERRACE_MPIX(int, name, ()) {                                                              \
    return mpi::fail("MPIX_" #name, MPI_ERR_UNSUPPORTED_OPERATION,                           \
                     "thread ranks have no notified windows; run the program as processes: " \
                     "mpirun -n N terrace exec PROGRAM");                                    \
  }
TERRACE_OF_WINDOWS(Get_notify)
TERRACE_OF_WINDOWS(Get_notify_c)
TERRACE_OF_WINDOWS(Put_notify)
TERRACE_OF_WINDOWS(Put_notify_c)
TERRACE_OF_WINDOWS(Win_create_notify)
TERRACE_OF_WINDOWS(Win_free_notify)
TERRACE_OF_WINDOWS(Win_get_notify)
TERRACE_OF_WINDOWS(Win_get_notify_request)
TERRACE_OF_WINDOWS(Win_set_notify)

#pragma GCC visibility pop
