// SPDX-License-Identifier: BSD-3-Clause
// What libraries for Fortran need from their MPI beyond MPI's own functions: attributes that are
// numbers, and callbacks that are not C's. The names are MPICH's, whose libraries call them; ours
// (threadranks/fortran) does, too. Also functions beyond MPI that several MPIs have.
#include "threadranks/mpi/collective/operators.hpp"
#include "threadranks/mpi/group/attributes.hpp"
#include "threadranks/mpi/message/requests.hpp"

namespace mpi = terrace::threadranks::mpi;
using terrace::threadranks::Attribute;

#pragma GCC visibility push(default)

extern "C" {

// Attributes.

int MPII_Comm_set_attr(MPI_Comm comm, int number, void* value, Attribute::Kind kind) {
  return mpi::set_attribute("MPI_Comm_set_attr", comm, {number, value, kind});
}
int MPII_Comm_get_attr(MPI_Comm comm, int number, void* value, int* flag, Attribute::Kind wanted) {
  return mpi::get_attribute("MPI_Comm_get_attr", comm, mpi::key_in_c(number), wanted, value, flag);
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
  return mpi::get_window_attribute("MPI_Win_get_attr", window, mpi::key_in_c(number), wanted, value,
                                   flag);
}

// Callbacks.

void MPII_Keyval_set_proxy(int number, void (*copies)(), void (*deletes)()) {
  mpi::set_proxies_of_key(number, copies, deletes);
}
void MPII_Grequest_set_lang_f77(MPI_Request request) {
  mpi::call_in_fortran(request);
}
void MPII_Op_set_fortran(MPI_Op op) {
  mpi::call_in_fortran(*mpi::operator_of(op));
}
void MPII_Errhandler_set_fortran(MPI_Errhandler handler) {
  mpi::errhandler_of(handler)->is_in_fortran = true;
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

#pragma GCC visibility pop
