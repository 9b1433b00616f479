// SPDX-License-Identifier: BSD-3-Clause
// Attribute keys, and MPI's predefined attributes.
#include "threadranks/mpi/group/attributes.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

namespace terrace::threadranks::mpi {
namespace {

using Function = void();

/// Communicators and types have the same functions, except for their handles.
template <class Native>
using Copies = int(Native, int, void*, void*, void*, int*);
template <class Native>
using Deletes = int(Native, int, void*, void*);

enum class Owner : std::uint8_t { communicator, type, window };

/// A key has the same number everywhere in the process; each rank makes its own. Kept forever, as
/// attributes outlive freed keys.
struct Key {
  Owner owner = Owner::communicator;
  Function* copies = nullptr;  ///< null: none
  Function* deletes = nullptr;
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

bool is_key(int number, Owner owner) {
  const std::lock_guard lock(keys().mutex);
  const auto found = keys().by_number.find(number);
  return found != keys().by_number.end() && found->second.owner == owner;
}

template <class CopiesOf, class DeletesOf>
int create_key(Owner owner, CopiesOf* copies, DeletesOf* deletes, void* extra, int* number) {
  const std::lock_guard lock(keys().mutex);
  *number = keys().next++;
  keys().by_number[*number] = {owner, reinterpret_cast<Function*>(copies),
                               reinterpret_cast<Function*>(deletes), extra};
  return MPI_SUCCESS;
}

int wrong_key(const char* function) {
  return fail(function, MPI_ERR_KEYVAL, "this is no key of attributes");
}

int free_key(const char* function, Owner owner, int* number) {
  if (!is_key(*number, owner)) return wrong_key(function);
  *number = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

/// The predefined attributes of MPI_COMM_WORLD; null: none.
const int* predefined(int key) {
  static const int greatest_tag = std::numeric_limits<int>::max(), yes = 1, host = MPI_PROC_NULL,
                   io = MPI_ANY_SOURCE, number = 0;
  thread_local int universe = 0, last_code = 0;
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
      last_code = last_used_code();
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

auto find(Attributes& attributes, int number) {
  return std::find_if(attributes.begin(), attributes.end(),
                      [&](const auto& entry) { return entry.first == number; });
}

template <class Native>
int remove(Native handle, Attributes& attributes, int number) {
  const auto found = find(attributes, number);
  if (found == attributes.end()) return MPI_SUCCESS;
  const Key key = key_of(number);
  if (key.deletes != nullptr) {
    const auto deletes = reinterpret_cast<Deletes<Native>*>(key.deletes);
    if (const int error = deletes(handle, number, found->second, key.extra)) return error;
  }
  attributes.erase(find(attributes, number));  // the function may have touched others
  return MPI_SUCCESS;
}

template <class Native>
int set(Native handle, Attributes& attributes, int number, void* value) {
  if (const int error = remove(handle, attributes, number)) return error;
  attributes.emplace_back(number, value);
  return MPI_SUCCESS;
}

int get(Attributes& attributes, int number, void* value, int* flag) {
  const auto found = find(attributes, number);
  *flag = found != attributes.end();
  if (*flag) *static_cast<void**>(value) = found->second;
  return MPI_SUCCESS;
}

/// A type that is there and such a key, or an error.
Datatype* known(const char* function, MPI_Datatype type, int number, int& error) {
  Datatype* const found = known_type(function, type, error);
  if (!error && !is_key(number, Owner::type)) error = wrong_key(function);
  return found;
}

/// Predefined types are shared by all ranks; their attributes are each rank's own.
Attributes& attributes_of(Datatype& type) {
  return type.predefined() == nullptr ? type.attributes : rank_of_caller().of_predefined[&type];
}

template <class Native>
int copy_all(Native handle, const Attributes& from, Attributes& copies) {
  const Attributes now = from;  // the functions may attach others meanwhile
  for (const auto& [number, value] : now) {
    const Key key = key_of(number);
    const bool just_copies = key.copies == reinterpret_cast<Function*>(MPI_COMM_DUP_FN);
    void* copied = value;
    int flag = just_copies;
    if (key.copies != nullptr && !just_copies) {
      const auto copy = reinterpret_cast<Copies<Native>*>(key.copies);
      if (const int error = copy(handle, number, key.extra, value, &copied, &flag)) return error;
    }
    if (flag) copies.emplace_back(number, copied);
  }
  return MPI_SUCCESS;
}

template <class Native>
int delete_all(Native handle, Attributes& attributes) {
  while (!attributes.empty())
    if (const int error = remove(handle, attributes, attributes.back().first)) return error;
  return MPI_SUCCESS;
}

}  // namespace

int copy_attributes(Communicator& from, Attributes& copies) {
  return copy_all(handle_of(&from), from.attributes, copies);
}
int copy_attributes(Datatype& from, Attributes& copies) {
  return copy_all(handle_of(&from), attributes_of(from), copies);
}
int delete_attributes(Communicator& communicator) {
  return delete_all(handle_of(&communicator), communicator.attributes);
}
int delete_attributes(Datatype& type) {
  return delete_all(handle_of(&type), attributes_of(type));
}

}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using mpi::Owner;
using terrace::threadranks::Datatype;

TERRACE_MPI(int, Comm_create_keyval,
            (MPI_Comm_copy_attr_function * copies, MPI_Comm_delete_attr_function* deletes,
             int* number, void* extra)) {
  return mpi::create_key(Owner::communicator, copies, deletes, extra, number);
}
TERRACE_MPI(int, Comm_free_keyval, (int* number)) {
  return mpi::free_key("MPI_Comm_free_keyval", Owner::communicator, number);
}
TERRACE_MPI(int, Comm_set_attr, (MPI_Comm comm, int number, void* value)) {
  mpi::Caller caller("MPI_Comm_set_attr", comm);
  if (caller.error()) return caller.error();
  if (!mpi::is_key(number, Owner::communicator)) return mpi::wrong_key("MPI_Comm_set_attr");
  return mpi::set(comm, caller.communicator().attributes, number, value);
}
TERRACE_MPI(int, Comm_get_attr, (MPI_Comm comm, int number, void* value, int* flag)) {
  mpi::Caller caller("MPI_Comm_get_attr", comm);
  if (caller.error()) return caller.error();
  if (const int* const own = mpi::predefined(number)) {
    *flag = 1;
    *static_cast<const int**>(value) = own;
    return MPI_SUCCESS;
  }
  if (!mpi::is_key(number, Owner::communicator)) return mpi::wrong_key("MPI_Comm_get_attr");
  return mpi::get(caller.communicator().attributes, number, value, flag);
}
TERRACE_MPI(int, Comm_delete_attr, (MPI_Comm comm, int number)) {
  mpi::Caller caller("MPI_Comm_delete_attr", comm);
  if (caller.error()) return caller.error();
  if (!mpi::is_key(number, Owner::communicator)) return mpi::wrong_key("MPI_Comm_delete_attr");
  return mpi::remove(comm, caller.communicator().attributes, number);
}

TERRACE_MPI(int, Type_create_keyval,
            (MPI_Type_copy_attr_function * copies, MPI_Type_delete_attr_function* deletes,
             int* number, void* extra)) {
  return mpi::create_key(Owner::type, copies, deletes, extra, number);
}
TERRACE_MPI(int, Type_free_keyval, (int* number)) {
  return mpi::free_key("MPI_Type_free_keyval", Owner::type, number);
}
TERRACE_MPI(int, Type_set_attr, (MPI_Datatype type, int number, void* value)) {
  int error;
  Datatype* const ours = mpi::known("MPI_Type_set_attr", type, number, error);
  return error ? error : mpi::set(type, mpi::attributes_of(*ours), number, value);
}
TERRACE_MPI(int, Type_get_attr, (MPI_Datatype type, int number, void* value, int* flag)) {
  int error;
  Datatype* const ours = mpi::known("MPI_Type_get_attr", type, number, error);
  return error ? error : mpi::get(mpi::attributes_of(*ours), number, value, flag);
}
TERRACE_MPI(int, Type_delete_attr, (MPI_Datatype type, int number)) {
  int error;
  Datatype* const ours = mpi::known("MPI_Type_delete_attr", type, number, error);
  return error ? error : mpi::remove(type, mpi::attributes_of(*ours), number);
}

// Only the keys: there are no windows to attach anything to.
TERRACE_MPI(int, Win_create_keyval,
            (MPI_Win_copy_attr_function * copies, MPI_Win_delete_attr_function* deletes,
             int* number, void* extra)) {
  return mpi::create_key(Owner::window, copies, deletes, extra, number);
}
TERRACE_MPI(int, Win_free_keyval, (int* number)) {
  return mpi::free_key("MPI_Win_free_keyval", Owner::window, number);
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
