// SPDX-License-Identifier: BSD-3-Clause
// What the libraries of this ABI's family for other languages need from their MPI beyond MPI's own
// functions: attributes that are numbers, callbacks that are not C's, and functions that are no
// part of MPI. Those libraries (libmpifort, libmpichfort, libmpicxx) are loaded as they are, a copy
// for each rank.
#include <cstdlib>

#include "threadranks/mpi/group/attributes.hpp"
#include "threadranks/mpi/message/requests.hpp"

namespace mpi = terrace::threadranks::mpi;
using terrace::threadranks::Attribute;

namespace {

/// Predefined keys are even in Fortran, and one less in C.
int key_in_c(int key) {
  constexpr int kOfCommunicators = 0x64400000, kOfWindows = 0x66000000, kMost = 0xf;
  const bool is_predefined = (key > kOfCommunicators && key <= kOfCommunicators + kMost) ||
                             (key > kOfWindows && key <= kOfWindows + kMost);
  return is_predefined && key % 2 == 0 ? key - 1 : key;
}

}  // namespace

#pragma GCC visibility push(default)

extern "C" {

extern const MPI_Fint MPII_F_TRUE, MPII_F_FALSE;
const MPI_Fint MPII_F_TRUE = 1, MPII_F_FALSE = 0;

// Attributes.

int MPII_Comm_set_attr(MPI_Comm comm, int number, void* value, Attribute::Kind kind) {
  return mpi::set_attribute("MPI_Comm_set_attr", comm, {number, value, kind});
}
int MPII_Comm_get_attr(MPI_Comm comm, int number, void* value, int* flag, Attribute::Kind wanted) {
  return mpi::get_attribute("MPI_Comm_get_attr", comm, key_in_c(number), wanted, value, flag);
}
int MPII_Comm_get_attr_fort(MPI_Comm comm, int number, void* value, int* flag,
                            Attribute::Kind wanted) {
  return MPII_Comm_get_attr(comm, number, value, flag, wanted);
}
int MPII_Type_set_attr(MPI_Datatype type, int number, void* value, Attribute::Kind kind) {
  return mpi::set_type_attribute("MPI_Type_set_attr", type, {number, value, kind});
}
int MPII_Type_get_attr(MPI_Datatype type, int number, void* value, int* flag,
                       Attribute::Kind wanted) {
  return mpi::get_type_attribute("MPI_Type_get_attr", type, number, wanted, value, flag);
}
int MPII_Win_set_attr(MPI_Win window, int number, void* value, Attribute::Kind kind) {
  return mpi::set_window_attribute("MPI_Win_set_attr", window, {number, value, kind});
}
int MPII_Win_get_attr(MPI_Win window, int number, void* value, int* flag, Attribute::Kind wanted) {
  return mpi::get_window_attribute("MPI_Win_get_attr", window, key_in_c(number), wanted, value,
                                   flag);
}

// Callbacks.

void MPII_Keyval_set_proxy(int number, void (*copies)(), void (*deletes)()) {
  mpi::set_proxies_of_key(number, copies, deletes);
}
void MPII_Grequest_set_lang_f77(MPI_Request request) {
  mpi::call_in_fortran(request);
}

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

TERRACE_MPIX(int, Query_cuda_support, ()) {
  return 0;
}
TERRACE_MPIX(int, Query_hip_support, ()) {
  return 0;
}
TERRACE_MPIX(int, Query_ze_support, ()) {
  return 0;
}
TERRACE_MPIX(int, GPU_query_support, (int, int* is_supported)) {
  *is_supported = 0;
  return MPI_SUCCESS;
}

// To go on when ranks have died: thread ranks die together.
#define TERRACE_AFTER_DEATH(name, parameters)                                                 \
  TERRACE_MPIX(int, name, parameters) {                                                       \
    return mpi::fail("MPIX_" #name, MPI_ERR_UNSUPPORTED_OPERATION,                            \
                     "thread ranks share a process, so no rank can go on when one has died"); \
  }
TERRACE_AFTER_DEATH(Comm_agree, (MPI_Comm, int*))
TERRACE_AFTER_DEATH(Comm_failure_ack, (MPI_Comm))
TERRACE_AFTER_DEATH(Comm_failure_get_acked, (MPI_Comm, MPI_Group*))
TERRACE_AFTER_DEATH(Comm_get_failed, (MPI_Comm, MPI_Group*))
TERRACE_AFTER_DEATH(Comm_revoke, (MPI_Comm))
TERRACE_AFTER_DEATH(Comm_shrink, (MPI_Comm, MPI_Comm*))

TERRACE_MPIX(int, Comm_test_threadcomm, (MPI_Comm, int* flag)) {
  *flag = 0;
  return MPI_SUCCESS;
}

// Windows, which are not there.
#define TERRACE_OF_WINDOWS(name)                                                        \
  TERRACE_MPIX(int, name, ()) {                                                         \
    return mpi::fail("MPIX_" #name, MPI_ERR_UNSUPPORTED_OPERATION,                      \
                     "thread ranks have no windows yet; run the program as processes: " \
                     "mpirun -n N terrace exec PROGRAM");                               \
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
