// SPDX-License-Identifier: BSD-3-Clause
// Conversions of handles for Fortran and other languages. Predefined handles are numbers already.
#include <mutex>
#include <unordered_map>
#include <vector>

#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {
namespace {

constexpr int kFirstNumber = static_cast<int>(kLastNumber) + 1;

/// An address keeps its number forever: an object at the same address later gets the same number.
struct Numbers {
  std::mutex mutex;
  std::unordered_map<std::uintptr_t, int> by_address;
  std::vector<std::uintptr_t> addresses;
};

Numbers& numbers() {
  static Numbers& all = *new Numbers;
  return all;
}

template <class Native>
int to_number(Native handle) {
  const std::uintptr_t address = number_of(handle);
  if (address <= kLastNumber) return static_cast<int>(address);
  Numbers& all = numbers();
  const std::lock_guard lock(all.mutex);
  const int next = kFirstNumber + static_cast<int>(all.addresses.size());
  const auto [entry, is_new] = all.by_address.try_emplace(address, next);
  if (is_new) all.addresses.push_back(address);
  return entry->second;
}

/// A number without an object gives the null handle of its kind.
template <class Native>
Native from_number(int number, Native null) {
  if (number < 0) return null;
  if (number < kFirstNumber) return reinterpret_cast<Native>(static_cast<std::uintptr_t>(number));
  Numbers& all = numbers();
  const std::lock_guard lock(all.mutex);
  const auto index = static_cast<std::size_t>(number - kFirstNumber);
  return index < all.addresses.size() ? reinterpret_cast<Native>(all.addresses[index]) : null;
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
TERRACE_NUMBERS(Group, MPI_Group, MPI_GROUP_NULL)
TERRACE_NUMBERS(Info, MPI_Info, MPI_INFO_NULL)
TERRACE_NUMBERS(Message, MPI_Message, MPI_MESSAGE_NULL)
TERRACE_NUMBERS(Op, MPI_Op, MPI_OP_NULL)
TERRACE_NUMBERS(Request, MPI_Request, MPI_REQUEST_NULL)
TERRACE_NUMBERS(Session, MPI_Session, MPI_SESSION_NULL)
TERRACE_NUMBERS(Type, MPI_Datatype, MPI_DATATYPE_NULL)
TERRACE_NUMBERS(Win, MPI_Win, MPI_WIN_NULL)
