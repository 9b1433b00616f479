// SPDX-License-Identifier: BSD-3-Clause
// Keys of attributes, and those that MPI sets by itself.
#include "threadranks/mpi/attributes.hpp"

#include <limits>
#include <map>
#include <mutex>
#include <utility>

namespace terrace::threadranks::mpi {
namespace {

/// A key is its number everywhere in the process; each rank makes its own. Kept for ever, as
/// attributes outlive keys that are freed.
struct Key {
  MPI_Comm_copy_attr_function* copies = nullptr;
  MPI_Comm_delete_attr_function* deletes = nullptr;
  void* extra = nullptr;
};

constexpr int kFirstKey = 0x1000;

struct Keys {
  std::mutex mutex;
  std::map<int, Key> by_number;
  int next = kFirstKey;
};

Keys& keys() {
  static Keys& all = *new Keys;
  return all;
}

Key key_of(int number) {
  const std::lock_guard lock(keys().mutex);
  return keys().by_number.at(number);
}

bool is_key(int number) {
  const std::lock_guard lock(keys().mutex);
  return keys().by_number.count(number) != 0;
}

int wrong_key(const char* function) {
  return fail(function, MPI_ERR_KEYVAL, "this is no key of attributes");
}

/// What the standard has at MPI_COMM_WORLD; null: nothing.
const int* predefined(int key) {
  static const int greatest_tag = std::numeric_limits<int>::max(), yes = 1, host = MPI_PROC_NULL,
                   io = MPI_ANY_SOURCE, last_code = MPI_ERR_LASTCODE, number = 0;
  thread_local int universe = 0;
  switch (key) {
    case MPI_TAG_UB:
      return &greatest_tag;
    case MPI_WTIME_IS_GLOBAL:
      return &yes;
    case MPI_HOST:
      return &host;
    case MPI_IO:
      return &io;
    case MPI_LASTUSEDCODE:
      return &last_code;
    case MPI_APPNUM:
      return &number;
    case MPI_UNIVERSE_SIZE:
      universe = static_cast<int>(rank_of_caller().job().rank_count());
      return &universe;
    default:
      return nullptr;
  }
}

int remove(Communicator& communicator, int number) {
  const auto found = communicator.attributes.find(number);
  if (found == communicator.attributes.end()) return MPI_SUCCESS;
  const Key key = key_of(number);
  if (key.deletes != MPI_COMM_NULL_DELETE_FN)
    if (const int error = key.deletes(handle_of(&communicator), number, found->second, key.extra))
      return error;
  communicator.attributes.erase(number);
  return MPI_SUCCESS;
}

}  // namespace

int copy_attributes(Communicator& from, Communicator& to) {
  for (const auto& [number, value] : from.attributes) {
    const Key key = key_of(number);
    void* copied = value;
    int flag = key.copies == MPI_COMM_DUP_FN;
    if (key.copies != MPI_COMM_NULL_COPY_FN && key.copies != MPI_COMM_DUP_FN)
      if (const int error = key.copies(handle_of(&from), number, key.extra, value, &copied, &flag))
        return error;
    if (flag) to.attributes[number] = copied;
  }
  return MPI_SUCCESS;
}

/// The last that was set goes first.
int delete_attributes(Communicator& communicator) {
  while (!communicator.attributes.empty())
    if (const int error = remove(communicator, communicator.attributes.rbegin()->first))
      return error;
  return MPI_SUCCESS;
}

}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;

TERRACE_MPI(int, Comm_create_keyval,
            (MPI_Comm_copy_attr_function * copies, MPI_Comm_delete_attr_function* deletes,
             int* number, void* extra)) {
  const std::lock_guard lock(mpi::keys().mutex);
  *number = mpi::keys().next++;
  mpi::keys().by_number[*number] = {copies, deletes, extra};
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Comm_free_keyval, (int* number)) {
  if (!mpi::is_key(*number)) return mpi::wrong_key("MPI_Comm_free_keyval");
  *number = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Comm_set_attr, (MPI_Comm comm, int number, void* value)) {
  mpi::Caller caller("MPI_Comm_set_attr", comm);
  if (caller.error()) return caller.error();
  if (!mpi::is_key(number)) return mpi::wrong_key("MPI_Comm_set_attr");
  if (const int error = mpi::remove(caller.communicator(), number)) return error;
  caller.communicator().attributes[number] = value;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Comm_get_attr, (MPI_Comm comm, int number, void* value, int* flag)) {
  mpi::Caller caller("MPI_Comm_get_attr", comm);
  if (caller.error()) return caller.error();
  if (const int* const own = mpi::predefined(number)) {
    *flag = 1;
    *static_cast<const int**>(value) = own;
    return MPI_SUCCESS;
  }
  const auto& attributes = caller.communicator().attributes;
  const auto found = attributes.find(number);
  *flag = found != attributes.end();
  if (*flag) *static_cast<void**>(value) = found->second;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Comm_delete_attr, (MPI_Comm comm, int number)) {
  mpi::Caller caller("MPI_Comm_delete_attr", comm);
  return caller.error() ? caller.error() : mpi::remove(caller.communicator(), number);
}

// Their names before MPI 2.0.
TERRACE_MPI(int, Keyval_create,
            (MPI_Copy_function * copies, MPI_Delete_function* deletes, int* number, void* extra)) {
  return PMPI_Comm_create_keyval(copies, deletes, number, extra);
}
TERRACE_MPI(int, Keyval_free, (int* number)) {
  return PMPI_Comm_free_keyval(number);
}
TERRACE_MPI(int, Attr_put, (MPI_Comm comm, int number, void* value)) {
  return PMPI_Comm_set_attr(comm, number, value);
}
TERRACE_MPI(int, Attr_get, (MPI_Comm comm, int number, void* value, int* flag)) {
  return PMPI_Comm_get_attr(comm, number, value, flag);
}
TERRACE_MPI(int, Attr_delete, (MPI_Comm comm, int number)) {
  return PMPI_Comm_delete_attr(comm, number);
}
