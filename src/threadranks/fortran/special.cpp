// SPDX-License-Identifier: BSD-3-Clause
// Functions of MPI whose arguments differ between C and Fortran in more than their form; the
// constants of mpif.h; and subroutines that only Fortran has.
#include "threadranks/fortran/arguments.hpp"

using terrace::fortran::Argument;
using terrace::fortran::status_in_c;
using terrace::fortran::TextLengths;
using Fint = MPI_Fint;

#pragma GCC visibility push(default)

extern "C" {

// Of our MPI, as MPICH's library for Fortran calls them (mpi/mpich/fortran.cpp).
enum AttributeKind { kAddress = 1, kInteger = 3 };
int MPII_Comm_set_attr(MPI_Comm, int, void*, AttributeKind);
int MPII_Comm_get_attr(MPI_Comm, int, void*, int*, AttributeKind);
int MPII_Type_set_attr(MPI_Datatype, int, void*, AttributeKind);
int MPII_Type_get_attr(MPI_Datatype, int, void*, int*, AttributeKind);
int MPII_Win_set_attr(MPI_Win, int, void*, AttributeKind);
int MPII_Win_get_attr(MPI_Win, int, void*, int*, AttributeKind);
void MPII_Keyval_set_proxy(int, void (*)(), void (*)());
void MPII_Grequest_set_lang_f77(MPI_Request);

// Programs have COMMON blocks of the same names, which must not be aligned more strictly.
alignas(32) terrace::fortran::Constants1 mpipriv1_{};
alignas(32) terrace::fortran::Constants2 mpipriv2_{};
alignas(32) terrace::fortran::ConstantTexts mpiprivc_{' ', ' '};
alignas(32) Fint mpifcmb5_ = 0;
alignas(32) Fint mpifcmb9_ = 0;

}  // extern "C"

/// Both names of a subroutine; a tool, or the program, may replace the one without a P.
#define TERRACE_SUBROUTINE(name, parameters)                           \
  extern "C" [[gnu::alias("pmpi_" #name)]] void mpi_##name parameters; \
  extern "C" void pmpi_##name parameters
#define TERRACE_FUNCTION(Result, name, parameters)                       \
  extern "C" [[gnu::alias("pmpi_" #name)]] Result mpi_##name parameters; \
  extern "C" Result pmpi_##name parameters

// The program's arguments are its run time's.

TERRACE_SUBROUTINE(init_, (Fint * error)) {
  *error = MPI_Init(nullptr, nullptr);
}
TERRACE_SUBROUTINE(init_thread_, (const Fint* required, Fint* provided, Fint* error)) {
  *error = MPI_Init_thread(nullptr, nullptr, *required, provided);
}
TERRACE_SUBROUTINE(pcontrol_, (const Fint* level)) {
  MPI_Pcontrol(*level);
}

// Functions.

TERRACE_FUNCTION(double, wtime_, ()) {
  return MPI_Wtime();
}
TERRACE_FUNCTION(double, wtick_, ()) {
  return MPI_Wtick();
}
TERRACE_FUNCTION(MPI_Aint, aint_add_, (const MPI_Aint* base, const MPI_Aint* distance)) {
  return MPI_Aint_add(*base, *distance);
}
TERRACE_FUNCTION(MPI_Aint, aint_diff_, (const MPI_Aint* one, const MPI_Aint* other)) {
  return MPI_Aint_diff(*one, *other);
}

// Requests are counted from 1.

namespace {

void count_from_1(int count, Fint* indices) {
  if (count == MPI_UNDEFINED) return;
  for (int i = 0; i < count; ++i) ++indices[i];
}
void count_from_1(Fint* index) {
  if (*index != MPI_UNDEFINED) ++*index;
}

}  // namespace

TERRACE_SUBROUTINE(waitany_, (const Fint* count, Fint* requests, Fint* index, MPI_Status* status,
                              Fint* error)) {
  *error = MPI_Waitany(*count, requests, index, status_in_c(status));
  if (*error == MPI_SUCCESS) count_from_1(index);
}
TERRACE_SUBROUTINE(testany_, (const Fint* count, Fint* requests, Fint* index, Fint* flag,
                              MPI_Status* status, Fint* error)) {
  *error = MPI_Testany(*count, requests, index, flag, status_in_c(status));
  if (*error == MPI_SUCCESS && *flag) count_from_1(index);
}
TERRACE_SUBROUTINE(waitsome_, (const Fint* count, Fint* requests, Fint* done, Fint* indices,
                               MPI_Status* statuses, Fint* error)) {
  *error = MPI_Waitsome(*count, requests, done, indices, status_in_c(statuses));
  count_from_1(*done, indices);
}
TERRACE_SUBROUTINE(testsome_, (const Fint* count, Fint* requests, Fint* done, Fint* indices,
                               MPI_Status* statuses, Fint* error)) {
  *error = MPI_Testsome(*count, requests, done, indices, status_in_c(statuses));
  count_from_1(*done, indices);
}

// Lengths of strings count no end.

TERRACE_SUBROUTINE(info_get_string_,
                   (const Fint* info, const char* key, Fint* length, char* value, Fint* flag,
                    Fint* error, std::size_t key_length, std::size_t value_length)) {
  TextLengths lengths{{key_length, value_length}};
  Argument<const char*> key_in_c(key, lengths);
  Argument<char*> value_in_c(value, lengths);
  int with_end = *length > 0 ? *length + 1 : 0;
  *error = MPI_Info_get_string(*info, key_in_c.in_c(), &with_end, value_in_c.in_c(), flag);
  if (*error == MPI_SUCCESS && *flag) *length = with_end - 1;
}
TERRACE_SUBROUTINE(info_create_env_, (Fint * info, Fint* error)) {
  *error = MPI_Info_create_env(0, nullptr, info);
}

// The address of the buffer, instead of a pointer to it.

TERRACE_SUBROUTINE(buffer_detach_, (void** place, Fint* bytes, Fint* error)) {
  *error = MPI_Buffer_detach(place, bytes);
}

// Attributes are numbers: as long as addresses, or in MPI 1's functions as integers.

namespace {

using Function = void();
using Copies = void(const Fint*, const Fint*, void*, const MPI_Aint*, MPI_Aint*, Fint*, Fint*);
using Deletes = void(const Fint*, const Fint*, const MPI_Aint*, void*, Fint*);

/// Each calls a subroutine of the program.
int call_copies(Function* function, int handle, int key, void* extra, AttributeKind, void* value,
                void** copied, int* flag) {
  const MPI_Aint number = reinterpret_cast<MPI_Aint>(value);
  MPI_Aint copy = 0;
  Fint is_copied = 0, error = MPI_SUCCESS;
  reinterpret_cast<Copies*>(function)(&handle, &key, extra, &number, &copy, &is_copied, &error);
  *flag = is_copied != 0;
  *copied = reinterpret_cast<void*>(copy);
  return error;
}
int call_deletes(Function* function, int handle, int key, AttributeKind, void* value, void* extra) {
  const MPI_Aint number = reinterpret_cast<MPI_Aint>(value);
  Fint error = MPI_SUCCESS;
  reinterpret_cast<Deletes*>(function)(&handle, &key, &number, extra, &error);
  return error;
}

/// Of a new key, whose functions are subroutines.
int mark(int error, const Fint* key) {
  if (error == MPI_SUCCESS)
    MPII_Keyval_set_proxy(*key, reinterpret_cast<Function*>(&call_copies),
                          reinterpret_cast<Function*>(&call_deletes));
  return error;
}

void* as_value(MPI_Aint number) {
  return reinterpret_cast<void*>(number);
}

/// The value, or 0: there is none.
template <class Number>
void put_value(int error, int flag, void* value, Number* number) {
  *number =
      error == MPI_SUCCESS && flag ? static_cast<Number>(reinterpret_cast<MPI_Aint>(value)) : 0;
}

}  // namespace

#define TERRACE_ATTRIBUTES(Kind, kind)                                                            \
  TERRACE_SUBROUTINE(kind##_create_keyval_, (MPI_##Kind##_copy_attr_function * copies,            \
                                             MPI_##Kind##_delete_attr_function * deletes,         \
                                             Fint * key, void* extra, Fint* error)) {             \
    *error = mark(MPI_##Kind##_create_keyval(copies, deletes, key, extra), key);                  \
  }                                                                                               \
  TERRACE_SUBROUTINE(kind##_set_attr_,                                                            \
                     (const Fint* handle, const Fint* key, const MPI_Aint* value, Fint* error)) { \
    *error = MPII_##Kind##_set_attr(*handle, *key, as_value(*value), kAddress);                   \
  }                                                                                               \
  TERRACE_SUBROUTINE(kind##_get_attr_, (const Fint* handle, const Fint* key, MPI_Aint* number,    \
                                        Fint* flag, Fint* error)) {                               \
    void* value = nullptr;                                                                        \
    *error = MPII_##Kind##_get_attr(*handle, *key, &value, flag, kAddress);                       \
    put_value(*error, *flag, value, number);                                                      \
  }
TERRACE_ATTRIBUTES(Comm, comm)
TERRACE_ATTRIBUTES(Type, type)
TERRACE_ATTRIBUTES(Win, win)

TERRACE_SUBROUTINE(keyval_create_, (MPI_Copy_function * copies, MPI_Delete_function* deletes,
                                    Fint* key, void* extra, Fint* error)) {
  *error = mark(MPI_Keyval_create(copies, deletes, key, extra), key);
}
TERRACE_SUBROUTINE(attr_put_, (const Fint* comm, const Fint* key, const Fint* value, Fint* error)) {
  *error = MPII_Comm_set_attr(*comm, *key, as_value(*value), kInteger);
}
TERRACE_SUBROUTINE(attr_get_,
                   (const Fint* comm, const Fint* key, Fint* number, Fint* flag, Fint* error)) {
  void* value = nullptr;
  *error = MPII_Comm_get_attr(*comm, *key, &value, flag, kInteger);
  put_value(*error, *flag, value, number);
}

TERRACE_SUBROUTINE(grequest_start_,
                   (MPI_Grequest_query_function * query, MPI_Grequest_free_function* free,
                    MPI_Grequest_cancel_function* cancel, void* extra, Fint* request,
                    Fint* error)) {
  *error = MPI_Grequest_start(query, free, cancel, extra, request);
  if (*error == MPI_SUCCESS) MPII_Grequest_set_lang_f77(*request);
}

// Functions of MPI 1 that MPI 3.0 has removed: addresses and extents are integers.

TERRACE_SUBROUTINE(address_, (const void* place, Fint* address, Fint* error)) {
  *address = static_cast<Fint>(reinterpret_cast<MPI_Aint>(terrace::fortran::buffer_in_c(place)));
  *error = MPI_SUCCESS;
}
TERRACE_SUBROUTINE(type_extent_, (const Fint* type, Fint* extent, Fint* error)) {
  MPI_Aint lower = 0, whole = 0;
  *error = MPI_Type_get_extent(*type, &lower, &whole);
  *extent = static_cast<Fint>(whole);
}
TERRACE_SUBROUTINE(type_lb_, (const Fint* type, Fint* lower, Fint* error)) {
  MPI_Aint begin = 0, extent = 0;
  *error = MPI_Type_get_extent(*type, &begin, &extent);
  *lower = static_cast<Fint>(begin);
}
TERRACE_SUBROUTINE(type_ub_, (const Fint* type, Fint* upper, Fint* error)) {
  MPI_Aint lower = 0, extent = 0;
  *error = MPI_Type_get_extent(*type, &lower, &extent);
  *upper = static_cast<Fint>(lower + extent);
}
TERRACE_SUBROUTINE(type_hvector_, (const Fint* count, const Fint* length, const Fint* stride,
                                   const Fint* old, Fint* made, Fint* error)) {
  *error = MPI_Type_create_hvector(*count, *length, *stride, *old, made);
}

namespace {

/// Places in bytes.
class Places {
 public:
  Places(Fint count, const Fint* places) : count_(count > 0 ? static_cast<std::size_t>(count) : 0) {
    places_ = static_cast<MPI_Aint*>(std::malloc((count_ + 1) * sizeof(MPI_Aint)));
    for (std::size_t i = 0; i < count_; ++i) places_[i] = places[i];
  }
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;
  ~Places() { std::free(places_); }
  const MPI_Aint* in_c() const { return places_; }

 private:
  std::size_t count_;
  MPI_Aint* places_;
};

}  // namespace

TERRACE_SUBROUTINE(type_hindexed_, (const Fint* count, const Fint* lengths, const Fint* places,
                                    const Fint* old, Fint* made, Fint* error)) {
  *error = MPI_Type_create_hindexed(*count, lengths, Places(*count, places).in_c(), *old, made);
}
TERRACE_SUBROUTINE(type_struct_, (const Fint* count, const Fint* lengths, const Fint* places,
                                  const Fint* types, Fint* made, Fint* error)) {
  *error = MPI_Type_create_struct(*count, lengths, Places(*count, places).in_c(), types, made);
}
TERRACE_SUBROUTINE(errhandler_create_,
                   (MPI_Comm_errhandler_function * function, Fint* handler, Fint* error)) {
  *error = MPI_Comm_create_errhandler(function, handler);
}
TERRACE_SUBROUTINE(errhandler_set_, (const Fint* comm, const Fint* handler, Fint* error)) {
  *error = MPI_Comm_set_errhandler(*comm, *handler);
}
TERRACE_SUBROUTINE(errhandler_get_, (const Fint* comm, Fint* handler, Fint* error)) {
  *error = MPI_Comm_get_errhandler(*comm, handler);
}

// MPI's own functions of attributes.

#define TERRACE_COPIES(name, is_copied)                                                        \
  extern "C" void name(const Fint*, const Fint*, void*, const MPI_Aint* value, MPI_Aint* copy, \
                       Fint* flag, Fint* error) {                                              \
    if (is_copied) *copy = *value;                                                             \
    *flag = is_copied;                                                                         \
    *error = MPI_SUCCESS;                                                                      \
  }
#define TERRACE_DELETES(name)                                                           \
  extern "C" void name(const Fint*, const Fint*, const MPI_Aint*, void*, Fint* error) { \
    *error = MPI_SUCCESS;                                                               \
  }
#define TERRACE_OF_ATTRIBUTES(kind)            \
  TERRACE_COPIES(mpi_##kind##dup_fn_, 1)       \
  TERRACE_COPIES(mpi_##kind##null_copy_fn_, 0) \
  TERRACE_DELETES(mpi_##kind##null_delete_fn_)
TERRACE_OF_ATTRIBUTES()
TERRACE_OF_ATTRIBUTES(comm_)
TERRACE_OF_ATTRIBUTES(type_)
TERRACE_OF_ATTRIBUTES(win_)

/// The compiler does not know that this does nothing.
TERRACE_SUBROUTINE(f_sync_reg_, (void*)) {}

#pragma GCC visibility pop
