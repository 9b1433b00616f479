// SPDX-License-Identifier: BSD-3-Clause
// Conversions of handles for Fortran and other languages. Predefined handles are numbers already.
#include "threadranks/mpi/adapter.hpp"
#include "threadranks/mpi/address_numbers.hpp"

namespace terrace::threadranks::mpi {
namespace {

AddressNumbers& numbers() {
  static AddressNumbers& all = *new AddressNumbers(static_cast<int>(kLastNumber) + 1);
  return all;
}

template <class Native>
int to_number(Native handle) {
  const std::uintptr_t address = number_of(handle);
  return address <= kLastNumber ? static_cast<int>(address) : numbers().number_of(address);
}

/// A number without an object gives the null handle of its kind.
template <class Native>
Native from_number(int number, Native null) {
  if (number < 0) return null;
  const auto predefined = static_cast<std::uintptr_t>(number);
  if (predefined <= kLastNumber) return reinterpret_cast<Native>(predefined);
  const std::uintptr_t address = numbers().address_of(number);
  return address != 0 ? reinterpret_cast<Native>(address) : null;
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;

#define TERRACE_NUMBERS(kind, Native, null)            \
  TERRACE_MPI(int, kind##_toint, (Native handle)) {    \
    return mpi::to_number(handle);                     \
  }                                                    \
  TERRACE_MPI(Native, kind##_fromint, (int number)) {  \
    return mpi::from_number<Native>(number, null);     \
  }                                                    \
  TERRACE_MPI(MPI_Fint, kind##_c2f, (Native handle)) { \
    return mpi::to_number(handle);                     \
  }                                                    \
  TERRACE_MPI(Native, kind##_f2c, (MPI_Fint number)) { \
    return mpi::from_number<Native>(number, null);     \
  }
TERRACE_NUMBERS(Comm, MPI_Comm, MPI_COMM_NULL)
TERRACE_NUMBERS(Errhandler, MPI_Errhandler, MPI_ERRHANDLER_NULL)
TERRACE_NUMBERS(File, MPI_File, MPI_FILE_NULL)
TERRACE_NUMBERS(Group, MPI_Group, MPI_GROUP_NULL)
TERRACE_NUMBERS(Info, MPI_Info, MPI_INFO_NULL)
TERRACE_NUMBERS(Message, MPI_Message, MPI_MESSAGE_NULL)
TERRACE_NUMBERS(Op, MPI_Op, MPI_OP_NULL)
TERRACE_NUMBERS(Request, MPI_Request, MPI_REQUEST_NULL)
TERRACE_NUMBERS(Session, MPI_Session, MPI_SESSION_NULL)
TERRACE_NUMBERS(Type, MPI_Datatype, MPI_DATATYPE_NULL)
TERRACE_NUMBERS(Win, MPI_Win, MPI_WIN_NULL)
