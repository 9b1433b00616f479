// SPDX-License-Identifier: BSD-3-Clause
// Conversions of handles for Fortran and other languages: MPICH's handles are integers already.
// Also variables and functions of this ABI that are constants in others.
#include "threadranks/mpi/adapter.hpp"
#include "threadranks/mpi/address_numbers.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// Handles of files are addresses in MPICH's ABI too; 0 is MPI_FILE_NULL.
AddressNumbers& file_numbers() {
  static AddressNumbers& all = *new AddressNumbers(1);
  return all;
}

int to_number(MPI_File handle) {
  return handle == MPI_FILE_NULL
             ? 0
             : file_numbers().number_of(reinterpret_cast<std::uintptr_t>(handle));
}

MPI_File from_number(int number) {
  return reinterpret_cast<MPI_File>(file_numbers().address_of(number));
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;

TERRACE_MPI(int, File_toint, (MPI_File handle)) {
  return mpi::to_number(handle);
}
TERRACE_MPI(MPI_File, File_fromint, (int number)) {
  return mpi::from_number(number);
}
TERRACE_MPI(MPI_Fint, File_c2f, (MPI_File handle)) {
  return mpi::to_number(handle);
}
TERRACE_MPI(MPI_File, File_f2c, (MPI_Fint number)) {
  return mpi::from_number(number);
}

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
TERRACE_NUMBERS(Session, MPI_Session)
TERRACE_NUMBERS(Type, MPI_Datatype)
TERRACE_NUMBERS(Win, MPI_Win)

int MPIR_Dup_fn(MPI_Comm, int, void*, void* value, void* copy, int* flag) {
  *static_cast<void**>(copy) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

namespace {

int unweighted = 0, no_weights = 0, all_handles = 0;

}  // namespace

const MPI_T_pvar_handle MPI_T_PVAR_ALL_HANDLES = reinterpret_cast<MPI_T_pvar_handle>(&all_handles);
int* const MPI_UNWEIGHTED = &unweighted;
int* const MPI_WEIGHTS_EMPTY = &no_weights;
