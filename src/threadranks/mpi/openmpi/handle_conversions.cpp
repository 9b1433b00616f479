// SPDX-License-Identifier: BSD-3-Clause
// Conversions of handles for Fortran and other languages: numbers of predefined objects are Open
// MPI's (mpif-handles.h), and ours follow.
#include <array>
#include <type_traits>

#include "threadranks/mpi/adapter.hpp"
#include "threadranks/mpi/address_numbers.hpp"
#include "threadranks/mpi/info.hpp"
#include "threadranks/windows/window.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// Higher than Open MPI's, of all releases.
constexpr int kFirstNumber = 256;

/// Numbers of the predefined handles of a kind, in Fortran and in the ABI of MPI 5.0.
template <class Native>
struct NumbersInFortran {
  std::array<std::uintptr_t, kFirstNumber> in_c{};  ///< 0: none has that number
  std::array<int, kLastNumber + 1> in_fortran{};

  NumbersInFortran() {
    in_fortran.fill(-1);
#define TERRACE_PREDEFINED(name, Kind, symbol, number, number_in_fortran) \
  if constexpr (std::is_same_v<Kind, Native>) add(number, number_in_fortran);
#include "threadranks/mpi/openmpi/predefined_objects.h"
  }
  void add(std::uintptr_t number, int number_in_fortran) {
    in_fortran[number] = number_in_fortran;
    if (number_in_fortran >= 0) in_c[static_cast<std::size_t>(number_in_fortran)] = number;
  }
};

template <class Native>
const NumbersInFortran<Native>& numbers() {
  static const NumbersInFortran<Native> all;
  return all;
}

/// Objects have numbers among those of the rank.
template <class Object>
struct OfRank {
  template <class Native>
  static int number(Native handle) {
    const RankCall call;
    return reinterpret_cast<Object*>(handle)->number_in(call.state().numbers());
  }
  template <class Native>
  static Native handle(int number, Native null) {
    auto* const object =
        static_cast<Object*>(rank_of_caller().numbers().find(number, Object::kObjectKind));
    return object != nullptr ? handle_of_object<Native>(*object) : null;
  }
};

/// Numbers handles that have none of their own, by their address.
template <class>
struct OfProcess {
  static AddressNumbers& all() {
    static AddressNumbers& only = *new AddressNumbers(0);
    return only;
  }
  template <class Native>
  static int number(Native handle) {
    return all().number_of(reinterpret_cast<std::uintptr_t>(handle));
  }
  template <class Native>
  static Native handle(int number, Native null) {
    const std::uintptr_t address = all().address_of(number);
    return address != 0 ? reinterpret_cast<Native>(address) : null;
  }
};

template <class Numbers, class Native>
int to_number(Native handle) {
  const std::uintptr_t number = number_of(handle);
  if (number == kNoHandle) return -1;
  if (number != 0) return numbers<Native>().in_fortran[number];
  return kFirstNumber + Numbers::number(handle);
}

/// A number without an object gives the null handle of its kind.
template <class Numbers, class Native>
Native from_number(int number, Native null) {
  if (number < 0) return null;
  if (number >= kFirstNumber) return Numbers::handle(number - kFirstNumber, null);
  const std::uintptr_t in_c = numbers<Native>().in_c[static_cast<std::size_t>(number)];
  return in_c != 0 ? predefined_handle<Native>(in_c) : null;
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
namespace threadranks = terrace::threadranks;

#define TERRACE_NUMBERS(kind, Native, null, Numbers)   \
  TERRACE_MPI(int, kind##_toint, (Native handle)) {    \
    return mpi::to_number<Numbers>(handle);            \
  }                                                    \
  TERRACE_MPI(Native, kind##_fromint, (int number)) {  \
    return mpi::from_number<Numbers>(number, null);    \
  }                                                    \
  TERRACE_MPI(MPI_Fint, kind##_c2f, (Native handle)) { \
    return mpi::to_number<Numbers>(handle);            \
  }                                                    \
  TERRACE_MPI(Native, kind##_f2c, (MPI_Fint number)) { \
    return mpi::from_number<Numbers>(number, null);    \
  }
TERRACE_NUMBERS(Comm, MPI_Comm, MPI_COMM_NULL, mpi::OfRank<threadranks::Communicator>)
TERRACE_NUMBERS(Errhandler, MPI_Errhandler, MPI_ERRHANDLER_NULL, mpi::OfRank<mpi::ErrorHandler>)
TERRACE_NUMBERS(File, MPI_File, MPI_FILE_NULL, mpi::OfProcess<MPI_File>)
TERRACE_NUMBERS(Group, MPI_Group, MPI_GROUP_NULL, mpi::OfRank<threadranks::RankGroup>)
TERRACE_NUMBERS(Info, MPI_Info, MPI_INFO_NULL, mpi::OfRank<mpi::InfoObject>)
TERRACE_NUMBERS(Message, MPI_Message, MPI_MESSAGE_NULL, mpi::OfProcess<MPI_Message>)
TERRACE_NUMBERS(Op, MPI_Op, MPI_OP_NULL, mpi::OfRank<threadranks::UserOperator>)
TERRACE_NUMBERS(Request, MPI_Request, MPI_REQUEST_NULL, mpi::OfRank<threadranks::Request>)
TERRACE_NUMBERS(Session, MPI_Session, MPI_SESSION_NULL, mpi::OfProcess<MPI_Session>)
TERRACE_NUMBERS(Type, MPI_Datatype, MPI_DATATYPE_NULL, mpi::OfRank<threadranks::Datatype>)
TERRACE_NUMBERS(Win, MPI_Win, MPI_WIN_NULL, mpi::OfRank<threadranks::Window>)

// Variables and functions of this ABI that are constants in others.

#define TERRACE_OF_ATTRIBUTES(KIND, Handle)                                               \
  int OMPI_C_MPI_##KIND##DUP_FN(Handle, int, void*, void* value, void* copy, int* flag) { \
    *static_cast<void**>(copy) = value;                                                   \
    *flag = 1;                                                                            \
    return MPI_SUCCESS;                                                                   \
  }                                                                                       \
  int OMPI_C_MPI_##KIND##NULL_COPY_FN(Handle, int, void*, void*, void*, int* flag) {      \
    *flag = 0;                                                                            \
    return MPI_SUCCESS;                                                                   \
  }                                                                                       \
  int OMPI_C_MPI_##KIND##NULL_DELETE_FN(Handle, int, void*, void*) {                      \
    return MPI_SUCCESS;                                                                   \
  }
TERRACE_OF_ATTRIBUTES(, MPI_Comm)
TERRACE_OF_ATTRIBUTES(COMM_, MPI_Comm)
TERRACE_OF_ATTRIBUTES(TYPE_, MPI_Datatype)
TERRACE_OF_ATTRIBUTES(WIN_, MPI_Win)
