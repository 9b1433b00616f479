// SPDX-License-Identifier: BSD-3-Clause
// Attribute keys, and MPI's predefined attributes.
#include "threadranks/mpi/group/attributes.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "threadranks/mpi/window/window_caller.hpp"

namespace terrace::threadranks::mpi {
namespace {

using Function = void();

/// Communicators and types have the same functions, except for their handles.
template <class Native>
using Copies = int(Native, int, void*, void*, void*, int*);
template <class Native>
using Deletes = int(Native, int, void*, void*);

/// Proxies that call these functions for a program of another language, as MPICH's libraries for it
/// have them.
template <class Native>
using CopiesByProxy = int(Function*, Native, int, void*, Attribute::Kind, void*, void**, int*);
template <class Native>
using DeletesByProxy = int(Function*, Native, int, Attribute::Kind, void*, void*);

enum class Owner : std::uint8_t { communicator, type, window };

/// A key has the same number everywhere in the process; each rank makes its own. Kept forever, as
/// attributes outlive freed keys.
struct Key {
  Owner owner = Owner::communicator;
  bool is_freed = false;       ///< then it is one only of objects that have its attribute
  Function* copies = nullptr;  ///< null: none
  Function* deletes = nullptr;
  void* extra = nullptr;
  Function* copy_proxy = nullptr;  ///< null: the functions are C's
  Function* delete_proxy = nullptr;
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
  return found != keys().by_number.end() && found->second.owner == owner && !found->second.is_freed;
}

template <class CopiesOf, class DeletesOf>
int create_key(Owner owner, CopiesOf* copies, DeletesOf* deletes, void* extra, int* number) {
  const std::lock_guard lock(keys().mutex);
  *number = keys().next++;
  Key& key = keys().by_number[*number];
  key.owner = owner;
  key.copies = reinterpret_cast<Function*>(copies);
  key.deletes = reinterpret_cast<Function*>(deletes);
  key.extra = extra;
  return MPI_SUCCESS;
}

int wrong_key(const char* function) {
  return fail(function, MPI_ERR_KEYVAL, "this is no key of attributes");
}

/// Frees a key. A program may free it again by a copy of its number, as MPICH allows while objects
/// have its attribute.
int free_key(const char* function, Owner owner, int* number) {
  std::unique_lock lock(keys().mutex);
  const auto found = keys().by_number.find(*number);
  if (found == keys().by_number.end() || found->second.owner != owner) {
    lock.unlock();
    return wrong_key(function);
  }
  found->second.is_freed = true;
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
                      [&](const Attribute& attribute) { return attribute.key == number; });
}

/// Whether the key is one of an object with these attributes.
bool is_key_for(Attributes& attributes, int number, Owner owner) {
  return is_key(number, owner) || find(attributes, number) != attributes.end();
}

/// The value as C sees it: of a number the address.
void* value_for_c(Attribute& attribute) {
  return attribute.kind == Attribute::Kind::pointer ? attribute.value : &attribute.value;
}

template <class Native>
int call_deletes(const Key& key, Native handle, Attribute attribute) {
  if (key.deletes == nullptr) return MPI_SUCCESS;
  const OutsideOfMpi outside;
  if (key.delete_proxy != nullptr)
    return reinterpret_cast<DeletesByProxy<Native>*>(key.delete_proxy)(
        key.deletes, handle, attribute.key, attribute.kind, attribute.value, key.extra);
  const auto deletes = reinterpret_cast<Deletes<Native>*>(key.deletes);
  return deletes(handle, attribute.key, value_for_c(attribute), key.extra);
}

template <class Native>
int call_copies(const Key& key, Native handle, Attribute from, void** copied, int* flag) {
  if (key.copies == nullptr) return MPI_SUCCESS;
  const OutsideOfMpi outside;
  if (key.copy_proxy != nullptr)
    return reinterpret_cast<CopiesByProxy<Native>*>(key.copy_proxy)(
        key.copies, handle, from.key, key.extra, from.kind, from.value, copied, flag);
  if (key.copies == reinterpret_cast<Function*>(MPI_COMM_DUP_FN)) {
    *copied = from.value;
    *flag = 1;
    return MPI_SUCCESS;
  }
  const auto copies = reinterpret_cast<Copies<Native>*>(key.copies);
  return copies(handle, from.key, key.extra, value_for_c(from), copied, flag);
}

template <class Native>
int remove(Native handle, Attributes& attributes, int number) {
  const auto found = find(attributes, number);
  if (found == attributes.end()) return MPI_SUCCESS;
  if (const int error = call_deletes(key_of(number), handle, *found)) return error;
  // The function, or another thread, may have touched others.
  if (const auto same = find(attributes, number); same != attributes.end()) attributes.erase(same);
  return MPI_SUCCESS;
}

template <class Native>
int set(Native handle, Attributes& attributes, const Attribute& attribute) {
  if (const int error = remove(handle, attributes, attribute.key)) return error;
  attributes.push_back(attribute);
  return MPI_SUCCESS;
}

/// Fortran gets numbers, or pointers as numbers.
int get(Attributes& attributes, int number, Attribute::Kind wanted, void* value, int* flag) {
  const auto found = find(attributes, number);
  *flag = found != attributes.end();
  if (*flag)
    *static_cast<void**>(value) =
        wanted == Attribute::Kind::pointer ? value_for_c(*found) : found->value;
  return MPI_SUCCESS;
}

/// Predefined types are shared by all ranks; their attributes are each rank's own.
Attributes& attributes_of(Datatype& type) {
  return type.predefined() == nullptr ? type.attributes : rank_of_caller().of_predefined[&type];
}

/// A type that is there and such a key, or an error.
Datatype* known(const char* function, MPI_Datatype type, int number, int& error) {
  Datatype* const found = known_type(function, type, error);
  if (!error && !is_key_for(attributes_of(*found), number, Owner::type))
    error = wrong_key(function);
  return found;
}

template <class Native>
int copy_all(Native handle, const Attributes& from, Attributes& copies) {
  const Attributes now = from;  // the functions may attach others meanwhile
  for (const Attribute& attribute : now) {
    Attribute copy = attribute;
    int flag = 0;
    if (const int error = call_copies(key_of(attribute.key), handle, attribute, &copy.value, &flag))
      return error;
    if (flag) copies.push_back(copy);
  }
  return MPI_SUCCESS;
}

template <class Native>
int delete_all(Native handle, Attributes& attributes) {
  while (!attributes.empty())
    if (const int error = remove(handle, attributes, attributes.back().key)) return error;
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
int delete_attributes(Window& window) {
  return delete_all(handle_of_object<MPI_Win>(window), window.attributes);
}
int delete_attributes(Datatype& type) {
  return delete_all(handle_of(&type), attributes_of(type));
}

void set_proxies_of_key(int number, void (*copies)(), void (*deletes)()) {
  const std::lock_guard lock(keys().mutex);
  const auto found = keys().by_number.find(number);
  if (found == keys().by_number.end()) return;
  found->second.copy_proxy = copies;
  found->second.delete_proxy = deletes;
}

int set_attribute(const char* function, MPI_Comm comm, const Attribute& attribute) {
  Caller caller(function, comm);
  if (caller.error()) return caller.error();
  Attributes& attributes = caller.communicator().attributes;
  if (!is_key_for(attributes, attribute.key, Owner::communicator)) return wrong_key(function);
  return set(comm, attributes, attribute);
}
int get_attribute(const char* function, MPI_Comm comm, int number, Attribute::Kind wanted,
                  void* value, int* flag) {
  Caller caller(function, comm);
  if (caller.error()) return caller.error();
  if (const int* const own = predefined(number)) {
    *flag = 1;
    if (wanted == Attribute::Kind::pointer)
      *static_cast<const int**>(value) = own;
    else
      *static_cast<std::intptr_t*>(value) = *own;
    return MPI_SUCCESS;
  }
  Attributes& attributes = caller.communicator().attributes;
  if (!is_key_for(attributes, number, Owner::communicator)) return wrong_key(function);
  return get(attributes, number, wanted, value, flag);
}

int set_type_attribute(const char* function, MPI_Datatype type, const Attribute& attribute) {
  const RankCall call;
  int error;
  Datatype* const ours = known(function, type, attribute.key, error);
  return error ? error : set(type, attributes_of(*ours), attribute);
}
int get_type_attribute(const char* function, MPI_Datatype type, int number, Attribute::Kind wanted,
                       void* value, int* flag) {
  const RankCall call;
  int error;
  Datatype* const ours = known(function, type, number, error);
  return error ? error : get(attributes_of(*ours), number, wanted, value, flag);
}

namespace {

/// A number as an attribute's value: for C its address in the window, which programs may keep.
template <class Number>
void put_number(Number& kept, Number number, Attribute::Kind wanted, void* value) {
  kept = number;
  if (wanted == Attribute::Kind::pointer)
    *static_cast<Number**>(value) = &kept;
  else
    *static_cast<std::intptr_t*>(value) = number;
}

void check_key(WindowCaller& caller, int number) {
  caller.check(caller.error() || is_key_for(caller.window().attributes, number, Owner::window),
               MPI_ERR_KEYVAL, "this is no key of windows' attributes");
}

/// A predefined attribute of a window; false: it is none.
bool get_predefined(Window& window, int number, Attribute::Kind wanted, void* value) {
  const WindowMember& own = window.own();
  Window::Numbers& kept = window.numbers;
  switch (number) {
    case MPI_WIN_BASE:
      *static_cast<void**>(value) = own.base;
      return true;
    case MPI_WIN_SIZE:
      put_number(kept.bytes, static_cast<std::ptrdiff_t>(own.bytes), wanted, value);
      return true;
    case MPI_WIN_DISP_UNIT:
      put_number(kept.unit, static_cast<int>(own.unit), wanted, value);
      return true;
    case MPI_WIN_CREATE_FLAVOR:
      put_number(kept.flavor, their_flavor(window.flavor), wanted, value);
      return true;
    case MPI_WIN_MODEL:
      put_number(kept.model, static_cast<int>(MPI_WIN_UNIFIED), wanted, value);
      return true;
    default:
      return false;
  }
}

}  // namespace

int set_window_attribute(const char* function, MPI_Win win, const Attribute& attribute) {
  WindowCaller caller(function, win);
  check_key(caller, attribute.key);
  return caller.error() ? caller.error() : set(win, caller.window().attributes, attribute);
}
int get_window_attribute(const char* function, MPI_Win win, int number, Attribute::Kind wanted,
                         void* value, int* flag) {
  WindowCaller caller(function, win);
  if (caller.error()) return caller.error();
  *flag = 1;
  if (get_predefined(caller.window(), number, wanted, value)) return MPI_SUCCESS;
  check_key(caller, number);
  if (caller.error()) return caller.error();
  return get(caller.window().attributes, number, wanted, value, flag);
}
int remove_window_attribute(MPI_Win win, int number) {
  WindowCaller caller("MPI_Win_delete_attr", win);
  check_key(caller, number);
  return caller.error() ? caller.error() : remove(win, caller.window().attributes, number);
}

}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using mpi::Owner;
using terrace::threadranks::Datatype;
using Kind = terrace::threadranks::Attribute::Kind;

TERRACE_MPI(int, Comm_create_keyval,
            (MPI_Comm_copy_attr_function * copies, MPI_Comm_delete_attr_function* deletes,
             int* number, void* extra)) {
  const mpi::RankCall call;
  return mpi::create_key(Owner::communicator, copies, deletes, extra, number);
}
TERRACE_MPI(int, Comm_free_keyval, (int* number)) {
  const mpi::RankCall call;
  return mpi::free_key("MPI_Comm_free_keyval", Owner::communicator, number);
}
TERRACE_MPI(int, Comm_set_attr, (MPI_Comm comm, int number, void* value)) {
  return mpi::set_attribute("MPI_Comm_set_attr", comm, {number, value, Kind::pointer});
}
TERRACE_MPI(int, Comm_get_attr, (MPI_Comm comm, int number, void* value, int* flag)) {
  return mpi::get_attribute("MPI_Comm_get_attr", comm, number, Kind::pointer, value, flag);
}
TERRACE_MPI(int, Comm_delete_attr, (MPI_Comm comm, int number)) {
  mpi::Caller caller("MPI_Comm_delete_attr", comm);
  if (caller.error()) return caller.error();
  auto& attributes = caller.communicator().attributes;
  if (!mpi::is_key_for(attributes, number, Owner::communicator))
    return mpi::wrong_key("MPI_Comm_delete_attr");
  return mpi::remove(comm, attributes, number);
}

TERRACE_MPI(int, Type_create_keyval,
            (MPI_Type_copy_attr_function * copies, MPI_Type_delete_attr_function* deletes,
             int* number, void* extra)) {
  const mpi::RankCall call;
  return mpi::create_key(Owner::type, copies, deletes, extra, number);
}
TERRACE_MPI(int, Type_free_keyval, (int* number)) {
  const mpi::RankCall call;
  return mpi::free_key("MPI_Type_free_keyval", Owner::type, number);
}
TERRACE_MPI(int, Type_set_attr, (MPI_Datatype type, int number, void* value)) {
  return mpi::set_type_attribute("MPI_Type_set_attr", type, {number, value, Kind::pointer});
}
TERRACE_MPI(int, Type_get_attr, (MPI_Datatype type, int number, void* value, int* flag)) {
  return mpi::get_type_attribute("MPI_Type_get_attr", type, number, Kind::pointer, value, flag);
}
TERRACE_MPI(int, Type_delete_attr, (MPI_Datatype type, int number)) {
  const mpi::RankCall call;
  int error;
  Datatype* const ours = mpi::known("MPI_Type_delete_attr", type, number, error);
  return error ? error : mpi::remove(type, mpi::attributes_of(*ours), number);
}

TERRACE_MPI(int, Win_create_keyval,
            (MPI_Win_copy_attr_function * copies, MPI_Win_delete_attr_function* deletes,
             int* number, void* extra)) {
  const mpi::RankCall call;
  return mpi::create_key(Owner::window, copies, deletes, extra, number);
}
TERRACE_MPI(int, Win_free_keyval, (int* number)) {
  const mpi::RankCall call;
  return mpi::free_key("MPI_Win_free_keyval", Owner::window, number);
}
TERRACE_MPI(int, Win_set_attr, (MPI_Win win, int number, void* value)) {
  return mpi::set_window_attribute("MPI_Win_set_attr", win, {number, value, Kind::pointer});
}
TERRACE_MPI(int, Win_get_attr, (MPI_Win win, int number, void* value, int* flag)) {
  return mpi::get_window_attribute("MPI_Win_get_attr", win, number, Kind::pointer, value, flag);
}
TERRACE_MPI(int, Win_delete_attr, (MPI_Win win, int number)) {
  return mpi::remove_window_attribute(win, number);
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
