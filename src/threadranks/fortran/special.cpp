// SPDX-License-Identifier: BSD-3-Clause
// Functions of MPI whose arguments differ between C and Fortran in more than their form; the
// constants of mpif.h; and subroutines that only Fortran has.
#include <f08_names.hpp>

#include "threadranks/fortran/arguments.hpp"

using terrace::fortran::Argument;
using terrace::fortran::handle_in_c;
using terrace::fortran::handle_in_fortran;
using terrace::fortran::Handles;
using terrace::fortran::kIsAddress;
using terrace::fortran::status_in_c;
using terrace::fortran::TextLengths;
using Fint = MPI_Fint;

#pragma GCC visibility push(default)

extern "C" {

// Functions of our MPI (mpi/older_abis/fortran.cpp).
enum AttributeKind { kAddress = 1, kInteger = 3 };
int MPII_Comm_set_attr(MPI_Comm, int, void*, AttributeKind);
int MPII_Comm_get_attr(MPI_Comm, int, void*, int*, AttributeKind);
int MPII_Type_set_attr(MPI_Datatype, int, void*, AttributeKind);
int MPII_Type_get_attr(MPI_Datatype, int, void*, int*, AttributeKind);
int MPII_Win_set_attr(MPI_Win, int, void*, AttributeKind);
int MPII_Win_get_attr(MPI_Win, int, void*, int*, AttributeKind);
void MPII_Keyval_set_proxy(int, void (*)(), void (*)());
void MPII_Grequest_set_lang_f77(MPI_Request);
void MPII_Op_set_fortran(MPI_Op);
void MPII_Errhandler_set_fortran(MPI_Errhandler);

}  // extern "C"

/// Names of a subroutine; a tool, or the program, may replace the one without a P. Open MPI's
/// library for mpi_f08 calls the third.
#define TERRACE_OLDER_SUBROUTINE(name, parameters)                              \
  extern "C" [[gnu::alias("pmpi_" #name "_")]] void mpi_##name##_ parameters;   \
  extern "C" [[gnu::alias("pmpi_" #name "_")]] void ompi_##name##_f parameters; \
  extern "C" void pmpi_##name##_ parameters
/// Names a subroutine that our mpi_f08 has, too.
#define TERRACE_SUBROUTINE(name, parameters) \
  TERRACE_F08_SUBROUTINE(name, parameters)   \
  TERRACE_OLDER_SUBROUTINE(name, parameters)
#define TERRACE_FUNCTION(Result, name, parameters)                                \
  TERRACE_F08_FUNCTION(Result, name, parameters)                                  \
  extern "C" [[gnu::alias("pmpi_" #name "_")]] Result mpi_##name##_ parameters;   \
  extern "C" [[gnu::alias("pmpi_" #name "_")]] Result ompi_##name##_f parameters; \
  extern "C" Result pmpi_##name##_ parameters

// The program's arguments are its run time's.

TERRACE_SUBROUTINE(init, (Fint * error)) {
  *error = MPI_Init(nullptr, nullptr);
}
TERRACE_SUBROUTINE(init_thread, (const Fint* required, Fint* provided, Fint* error)) {
  *error = MPI_Init_thread(nullptr, nullptr, *required, provided);
}
TERRACE_SUBROUTINE(pcontrol, (const Fint* level)) {
  MPI_Pcontrol(*level);
}

// Functions.

TERRACE_FUNCTION(double, wtime, ()) {
  return MPI_Wtime();
}
TERRACE_FUNCTION(double, wtick, ()) {
  return MPI_Wtick();
}
TERRACE_FUNCTION(MPI_Aint, aint_add, (const MPI_Aint* base, const MPI_Aint* distance)) {
  return MPI_Aint_add(*base, *distance);
}
TERRACE_FUNCTION(MPI_Aint, aint_diff, (const MPI_Aint* one, const MPI_Aint* other)) {
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

TERRACE_SUBROUTINE(waitany, (const Fint* count, Fint* requests, Fint* index, MPI_Status* status,
                             Fint* error)) {
  *error = MPI_Waitany(*count, Handles<MPI_Request>(*count, requests).in_c(), index,
                       status_in_c(status));
  if (*error == MPI_SUCCESS) count_from_1(index);
}
TERRACE_SUBROUTINE(testany, (const Fint* count, Fint* requests, Fint* index, Fint* flag,
                             MPI_Status* status, Fint* error)) {
  *error = MPI_Testany(*count, Handles<MPI_Request>(*count, requests).in_c(), index, flag,
                       status_in_c(status));
  if (*error == MPI_SUCCESS && *flag) count_from_1(index);
}
TERRACE_SUBROUTINE(waitsome, (const Fint* count, Fint* requests, Fint* done, Fint* indices,
                              MPI_Status* statuses, Fint* error)) {
  *error = MPI_Waitsome(*count, Handles<MPI_Request>(*count, requests).in_c(), done, indices,
                        status_in_c(statuses));
  count_from_1(*done, indices);
}
TERRACE_SUBROUTINE(testsome, (const Fint* count, Fint* requests, Fint* done, Fint* indices,
                              MPI_Status* statuses, Fint* error)) {
  *error = MPI_Testsome(*count, Handles<MPI_Request>(*count, requests).in_c(), done, indices,
                        status_in_c(statuses));
  count_from_1(*done, indices);
}

// Arrays of handles.

TERRACE_SUBROUTINE(waitall,
                   (const Fint* count, Fint* requests, MPI_Status* statuses, Fint* error)) {
  *error =
      MPI_Waitall(*count, Handles<MPI_Request>(*count, requests).in_c(), status_in_c(statuses));
}
TERRACE_SUBROUTINE(testall, (const Fint* count, Fint* requests, Fint* flag, MPI_Status* statuses,
                             Fint* error)) {
  *error = MPI_Testall(*count, Handles<MPI_Request>(*count, requests).in_c(), flag,
                       status_in_c(statuses));
}
TERRACE_SUBROUTINE(startall, (const Fint* count, Fint* requests, Fint* error)) {
  *error = MPI_Startall(*count, Handles<MPI_Request>(*count, requests).in_c());
}
TERRACE_SUBROUTINE(request_get_status_all, (const Fint* count, const Fint* requests, Fint* flag,
                                            MPI_Status* statuses, Fint* error)) {
  *error = MPI_Request_get_status_all(*count, Handles<MPI_Request>(*count, requests).in_c(), flag,
                                      status_in_c(statuses));
}
TERRACE_SUBROUTINE(request_get_status_any, (const Fint* count, const Fint* requests, Fint* index,
                                            Fint* flag, MPI_Status* status, Fint* error)) {
  *error = MPI_Request_get_status_any(*count, Handles<MPI_Request>(*count, requests).in_c(), index,
                                      flag, status_in_c(status));
  if (*error == MPI_SUCCESS && *flag) count_from_1(index);
}
TERRACE_SUBROUTINE(request_get_status_some, (const Fint* count, const Fint* requests, Fint* done,
                                             Fint* indices, MPI_Status* statuses, Fint* error)) {
  *error = MPI_Request_get_status_some(*count, Handles<MPI_Request>(*count, requests).in_c(), done,
                                       indices, status_in_c(statuses));
  count_from_1(*done, indices);
}
TERRACE_SUBROUTINE(type_create_struct,
                   (const Fint* count, const Fint* lengths, const MPI_Aint* places,
                    const Fint* types, Fint* made, Fint* error)) {
  TextLengths none{};
  *error =
      MPI_Type_create_struct(*count, lengths, places, Handles<MPI_Datatype>(*count, types).in_c(),
                             Argument<MPI_Datatype*>(made, none).in_c());
}
TERRACE_SUBROUTINE(type_get_contents,
                   (const Fint* type, const Fint* most_integers, const Fint* most_addresses,
                    const Fint* most_types, Fint* integers, MPI_Aint* addresses, Fint* types,
                    Fint* error)) {
  *error = MPI_Type_get_contents(handle_in_c<MPI_Datatype>(*type), *most_integers, *most_addresses,
                                 *most_types, integers, addresses,
                                 Handles<MPI_Datatype>(*most_types, types).in_c());
}

namespace {

/// Numbers of blocks that the calling rank sends to the others, and receives from them.
struct BlockCounts {
  int out = 0, in = 0;
};

BlockCounts with_all(MPI_Comm comm) {
  int is_between = 0, ranks = 0;
  PMPI_Comm_test_inter(comm, &is_between);
  if (is_between)
    PMPI_Comm_remote_size(comm, &ranks);
  else
    PMPI_Comm_size(comm, &ranks);
  return {ranks, ranks};
}

BlockCounts with_neighbours(MPI_Comm comm) {
  int kind = MPI_UNDEFINED, count = 0, rank = 0, is_weighted = 0;
  BlockCounts counts;
  PMPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) {
    PMPI_Cartdim_get(comm, &count);
    return {2 * count, 2 * count};
  }
  if (kind == MPI_DIST_GRAPH) {
    PMPI_Dist_graph_neighbors_count(comm, &counts.in, &counts.out, &is_weighted);
    return counts;
  }
  PMPI_Comm_rank(comm, &rank);
  if (kind == MPI_GRAPH) PMPI_Graph_neighbors_count(comm, rank, &count);
  return {count, count};
}

/// The types of a call with a type for each block.
struct TypesOfBlocks {
  TypesOfBlocks(const BlockCounts& counts, const Fint* of_out, const Fint* of_in)
      : out(counts.out, of_out), in(counts.in, of_in) {}
  Handles<MPI_Datatype> out, in;
};

}  // namespace

#define TERRACE_WITH_TYPES(Name, name, Place, counts)                                             \
  TERRACE_OLDER_SUBROUTINE(                                                                       \
      name, (const void* out, const Fint* out_counts, const Place* out_places,                    \
             const Fint* out_types, void* in, const Fint* in_counts, const Place* in_places,      \
             const Fint* in_types, const Fint* number, Fint* error)) {                            \
    const MPI_Comm comm = handle_in_c<MPI_Comm>(*number);                                         \
    TypesOfBlocks types(counts(comm), out_types, in_types);                                       \
    *error = MPI_##Name(terrace::fortran::buffer_in_c(out), out_counts, out_places,               \
                        types.out.in_c(), const_cast<void*>(terrace::fortran::buffer_in_c(in)),   \
                        in_counts, in_places, types.in.in_c(), comm);                             \
  }                                                                                               \
  TERRACE_OLDER_SUBROUTINE(                                                                       \
      i##name, (const void* out, const Fint* out_counts, const Place* out_places,                 \
                const Fint* out_types, void* in, const Fint* in_counts, const Place* in_places,   \
                const Fint* in_types, const Fint* number, Fint* request, Fint* error)) {          \
    const MPI_Comm comm = handle_in_c<MPI_Comm>(*number);                                         \
    TypesOfBlocks types(counts(comm), out_types, in_types);                                       \
    TextLengths none{};                                                                           \
    *error =                                                                                      \
        MPI_I##name(terrace::fortran::buffer_in_c(out), out_counts, out_places, types.out.in_c(), \
                    const_cast<void*>(terrace::fortran::buffer_in_c(in)), in_counts, in_places,   \
                    types.in.in_c(), comm, Argument<MPI_Request*>(request, none).in_c());         \
  }                                                                                               \
  TERRACE_OLDER_SUBROUTINE(                                                                       \
      name##_init,                                                                                \
      (const void* out, const Fint* out_counts, const Place* out_places, const Fint* out_types,   \
       void* in, const Fint* in_counts, const Place* in_places, const Fint* in_types,             \
       const Fint* number, const Fint* info, Fint* request, Fint* error)) {                       \
    const MPI_Comm comm = handle_in_c<MPI_Comm>(*number);                                         \
    TypesOfBlocks types(counts(comm), out_types, in_types);                                       \
    TextLengths none{};                                                                           \
    *error = MPI_##Name##_init(terrace::fortran::buffer_in_c(out), out_counts, out_places,        \
                               types.out.in_c(),                                                  \
                               const_cast<void*>(terrace::fortran::buffer_in_c(in)), in_counts,   \
                               in_places, types.in.in_c(), comm, handle_in_c<MPI_Info>(*info),    \
                               Argument<MPI_Request*>(request, none).in_c());                     \
  }
TERRACE_WITH_TYPES(Alltoallw, alltoallw, Fint, with_all)
TERRACE_WITH_TYPES(Neighbor_alltoallw, neighbor_alltoallw, MPI_Aint, with_neighbours)

/// Their names before MPI 4.0.
#define TERRACE_EARLIER_NAME(earlier, name, Place)                                           \
  extern "C" [[gnu::alias("pmpi_" #name "_")]] void earlier(                                 \
      const void*, const Fint*, const Place*, const Fint*, void*, const Fint*, const Place*, \
      const Fint*, const Fint*, const Fint*, Fint*, Fint*);
#define TERRACE_EARLIER_NAMES(name, Place)           \
  TERRACE_EARLIER_NAME(pmpix_##name##_, name, Place) \
  TERRACE_EARLIER_NAME(mpix_##name##_, name, Place)  \
  TERRACE_EARLIER_NAME(ompix_##name##_f, name, Place)
TERRACE_EARLIER_NAMES(alltoallw_init, Fint)
TERRACE_EARLIER_NAMES(neighbor_alltoallw_init, MPI_Aint)

// Started ranks, which are not there: the function in C says so.

TERRACE_SUBROUTINE(comm_spawn,
                   (const char*, const char*, const Fint* most, const Fint* info, const Fint* root,
                    const Fint* comm, Fint* between, Fint*, Fint* error)) {
  TextLengths none{};
  *error = MPI_Comm_spawn(nullptr, nullptr, *most, handle_in_c<MPI_Info>(*info), *root,
                          handle_in_c<MPI_Comm>(*comm), Argument<MPI_Comm*>(between, none).in_c(),
                          nullptr);
}
TERRACE_SUBROUTINE(comm_spawn_multiple, (const Fint* count, const char*, const char*,
                                         const Fint* most, const Fint* infos, const Fint* root,
                                         const Fint* comm, Fint* between, Fint*, Fint* error)) {
  TextLengths none{};
  *error = MPI_Comm_spawn_multiple(
      *count, nullptr, nullptr, most, Handles<MPI_Info>(*count, infos).in_c(), *root,
      handle_in_c<MPI_Comm>(*comm), Argument<MPI_Comm*>(between, none).in_c(), nullptr);
}

// MPI_SIZEOF, as Open MPI's programs call it for each type and number of dimensions.

#define TERRACE_SIZEOF_OF(name, bytes)                                              \
  TERRACE_OLDER_SUBROUTINE(sizeof_##name, (const void*, Fint* size, Fint* error)) { \
    *size = bytes;                                                                  \
    if (error != nullptr) *error = MPI_SUCCESS;                                     \
  }
#define TERRACE_SIZEOF(type, bytes)       \
  TERRACE_SIZEOF_OF(type##_scalar, bytes) \
  TERRACE_SIZEOF_OF(type##_r1, bytes)     \
  TERRACE_SIZEOF_OF(type##_r2, bytes)     \
  TERRACE_SIZEOF_OF(type##_r3, bytes)     \
  TERRACE_SIZEOF_OF(type##_r4, bytes)     \
  TERRACE_SIZEOF_OF(type##_r5, bytes)     \
  TERRACE_SIZEOF_OF(type##_r6, bytes)     \
  TERRACE_SIZEOF_OF(type##_r7, bytes)     \
  TERRACE_SIZEOF_OF(type##_r8, bytes)     \
  TERRACE_SIZEOF_OF(type##_r9, bytes)     \
  TERRACE_SIZEOF_OF(type##_r10, bytes)    \
  TERRACE_SIZEOF_OF(type##_r11, bytes)    \
  TERRACE_SIZEOF_OF(type##_r12, bytes)    \
  TERRACE_SIZEOF_OF(type##_r13, bytes)    \
  TERRACE_SIZEOF_OF(type##_r14, bytes)    \
  TERRACE_SIZEOF_OF(type##_r15, bytes)
TERRACE_SIZEOF(character, 1)
TERRACE_SIZEOF(logical, 4)
TERRACE_SIZEOF(int8, 1)
TERRACE_SIZEOF(int16, 2)
TERRACE_SIZEOF(int32, 4)
TERRACE_SIZEOF(int64, 8)
TERRACE_SIZEOF(real32, 4)
TERRACE_SIZEOF(real64, 8)
TERRACE_SIZEOF(real128, 16)
TERRACE_SIZEOF(complex32, 8)
TERRACE_SIZEOF(complex64, 16)
TERRACE_SIZEOF(complex128, 32)

// Functions of the program, which get integers for handles.

TERRACE_SUBROUTINE(op_create,
                   (MPI_User_function * function, const Fint* commutes, Fint* op, Fint* error)) {
  TextLengths none{};
  Argument<MPI_Op*> made(op, none);
  *error = MPI_Op_create(function, *commutes, made.in_c());
  if (*error == MPI_SUCCESS) MPII_Op_set_fortran(*made.in_c());
}

#define TERRACE_ERRHANDLERS(Kind, kind)                                                      \
  TERRACE_SUBROUTINE(kind##_create_errhandler, (MPI_##Kind##_errhandler_function * function, \
                                                Fint * handler, Fint * error)) {             \
    TextLengths none{};                                                                      \
    Argument<MPI_Errhandler*> made(handler, none);                                           \
    *error = MPI_##Kind##_create_errhandler(function, made.in_c());                          \
    if (*error == MPI_SUCCESS) MPII_Errhandler_set_fortran(*made.in_c());                    \
  }
TERRACE_ERRHANDLERS(Comm, comm)
TERRACE_ERRHANDLERS(File, file)
TERRACE_ERRHANDLERS(Session, session)
TERRACE_ERRHANDLERS(Win, win)

// Lengths of strings count no end.

TERRACE_SUBROUTINE(info_get_string,
                   (const Fint* info, const char* key, Fint* length, char* value, Fint* flag,
                    Fint* error, std::size_t key_length, std::size_t value_length)) {
  TextLengths lengths{{key_length, value_length}};
  Argument<const char*> key_in_c(key, lengths);
  Argument<char*> value_in_c(value, lengths);
  int with_end = *length > 0 ? *length + 1 : 0;
  *error = MPI_Info_get_string(handle_in_c<MPI_Info>(*info), key_in_c.in_c(), &with_end,
                               value_in_c.in_c(), flag);
  if (*error == MPI_SUCCESS && *flag) *length = with_end - 1;
}
TERRACE_SUBROUTINE(info_create_env, (Fint * info, Fint* error)) {
  TextLengths none{};
  *error = MPI_Info_create_env(0, nullptr, Argument<MPI_Info*>(info, none).in_c());
}

// The address of the buffer, instead of a pointer to it.

TERRACE_SUBROUTINE(buffer_detach, (void** place, Fint* bytes, Fint* error)) {
  *error = MPI_Buffer_detach(place, bytes);
}

// Attributes are numbers: as long as addresses, or in MPI 1's functions as integers.

namespace {

using Function = void();
using Copies = void(const Fint*, const Fint*, void*, const MPI_Aint*, MPI_Aint*, Fint*, Fint*);
using Deletes = void(const Fint*, const Fint*, const MPI_Aint*, void*, Fint*);

/// Each calls a subroutine of the program.
template <class C>
int call_copies(Function* function, C handle, int key, void* extra, AttributeKind, void* value,
                void** copied, int* flag) {
  const MPI_Aint number = reinterpret_cast<MPI_Aint>(value);
  MPI_Aint copy = 0;
  const Fint object = handle_in_fortran(handle);
  Fint is_copied = 0, error = MPI_SUCCESS;
  reinterpret_cast<Copies*>(function)(&object, &key, extra, &number, &copy, &is_copied, &error);
  *flag = is_copied != 0;
  *copied = reinterpret_cast<void*>(copy);
  return error;
}
template <class C>
int call_deletes(Function* function, C handle, int key, AttributeKind, void* value, void* extra) {
  const MPI_Aint number = reinterpret_cast<MPI_Aint>(value);
  const Fint object = handle_in_fortran(handle);
  Fint error = MPI_SUCCESS;
  reinterpret_cast<Deletes*>(function)(&object, &key, &number, extra, &error);
  return error;
}

/// Marks a new key, whose functions are subroutines.
template <class C>
int mark(int error, const Fint* key) {
  if (error == MPI_SUCCESS)
    MPII_Keyval_set_proxy(*key, reinterpret_cast<Function*>(&call_copies<C>),
                          reinterpret_cast<Function*>(&call_deletes<C>));
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

#define TERRACE_ATTRIBUTES(Kind, kind, Native)                                                    \
  TERRACE_SUBROUTINE(kind##_create_keyval, (MPI_##Kind##_copy_attr_function * copies,             \
                                            MPI_##Kind##_delete_attr_function * deletes,          \
                                            Fint * key, void* extra, Fint* error)) {              \
    *error = mark<Native>(MPI_##Kind##_create_keyval(copies, deletes, key, extra), key);          \
  }                                                                                               \
  TERRACE_SUBROUTINE(kind##_set_attr,                                                             \
                     (const Fint* handle, const Fint* key, const MPI_Aint* value, Fint* error)) { \
    *error =                                                                                      \
        MPII_##Kind##_set_attr(handle_in_c<Native>(*handle), *key, as_value(*value), kAddress);   \
  }                                                                                               \
  TERRACE_SUBROUTINE(kind##_get_attr, (const Fint* handle, const Fint* key, MPI_Aint* number,     \
                                       Fint* flag, Fint* error)) {                                \
    void* value = nullptr;                                                                        \
    *error = MPII_##Kind##_get_attr(handle_in_c<Native>(*handle), *key, &value, flag, kAddress);  \
    put_value(*error, *flag, value, number);                                                      \
  }
TERRACE_ATTRIBUTES(Comm, comm, MPI_Comm)
TERRACE_ATTRIBUTES(Type, type, MPI_Datatype)
TERRACE_ATTRIBUTES(Win, win, MPI_Win)

TERRACE_OLDER_SUBROUTINE(keyval_create, (MPI_Copy_function * copies, MPI_Delete_function* deletes,
                                         Fint* key, void* extra, Fint* error)) {
  *error = mark<MPI_Comm>(MPI_Keyval_create(copies, deletes, key, extra), key);
}
TERRACE_OLDER_SUBROUTINE(attr_put,
                         (const Fint* comm, const Fint* key, const Fint* value, Fint* error)) {
  *error = MPII_Comm_set_attr(handle_in_c<MPI_Comm>(*comm), *key, as_value(*value), kInteger);
}
TERRACE_OLDER_SUBROUTINE(attr_get, (const Fint* comm, const Fint* key, Fint* number, Fint* flag,
                                    Fint* error)) {
  void* value = nullptr;
  *error = MPII_Comm_get_attr(handle_in_c<MPI_Comm>(*comm), *key, &value, flag, kInteger);
  put_value(*error, *flag, value, number);
}

TERRACE_SUBROUTINE(grequest_start,
                   (MPI_Grequest_query_function * query, MPI_Grequest_free_function* free,
                    MPI_Grequest_cancel_function* cancel, void* extra, Fint* request,
                    Fint* error)) {
  TextLengths none{};
  Argument<MPI_Request*> made(request, none);
  *error = MPI_Grequest_start(query, free, cancel, extra, made.in_c());
  if (*error == MPI_SUCCESS) MPII_Grequest_set_lang_f77(*made.in_c());
}

// Functions of MPI 1 that MPI 3.0 has removed: addresses and extents are integers.

TERRACE_OLDER_SUBROUTINE(address, (const void* place, Fint* address, Fint* error)) {
  *address = static_cast<Fint>(reinterpret_cast<MPI_Aint>(terrace::fortran::buffer_in_c(place)));
  *error = MPI_SUCCESS;
}
TERRACE_OLDER_SUBROUTINE(type_extent, (const Fint* type, Fint* extent, Fint* error)) {
  MPI_Aint lower = 0, whole = 0;
  *error = MPI_Type_get_extent(handle_in_c<MPI_Datatype>(*type), &lower, &whole);
  *extent = static_cast<Fint>(whole);
}
TERRACE_OLDER_SUBROUTINE(type_lb, (const Fint* type, Fint* lower, Fint* error)) {
  MPI_Aint begin = 0, extent = 0;
  *error = MPI_Type_get_extent(handle_in_c<MPI_Datatype>(*type), &begin, &extent);
  *lower = static_cast<Fint>(begin);
}
TERRACE_OLDER_SUBROUTINE(type_ub, (const Fint* type, Fint* upper, Fint* error)) {
  MPI_Aint lower = 0, extent = 0;
  *error = MPI_Type_get_extent(handle_in_c<MPI_Datatype>(*type), &lower, &extent);
  *upper = static_cast<Fint>(lower + extent);
}
TERRACE_OLDER_SUBROUTINE(type_hvector, (const Fint* count, const Fint* length, const Fint* stride,
                                        const Fint* old, Fint* made, Fint* error)) {
  TextLengths none{};
  *error = MPI_Type_create_hvector(*count, *length, *stride, handle_in_c<MPI_Datatype>(*old),
                                   Argument<MPI_Datatype*>(made, none).in_c());
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

TERRACE_OLDER_SUBROUTINE(type_hindexed, (const Fint* count, const Fint* lengths, const Fint* places,
                                         const Fint* old, Fint* made, Fint* error)) {
  TextLengths none{};
  *error = MPI_Type_create_hindexed(*count, lengths, Places(*count, places).in_c(),
                                    handle_in_c<MPI_Datatype>(*old),
                                    Argument<MPI_Datatype*>(made, none).in_c());
}
TERRACE_OLDER_SUBROUTINE(type_struct, (const Fint* count, const Fint* lengths, const Fint* places,
                                       const Fint* types, Fint* made, Fint* error)) {
  TextLengths none{};
  *error = MPI_Type_create_struct(*count, lengths, Places(*count, places).in_c(),
                                  Handles<MPI_Datatype>(*count, types).in_c(),
                                  Argument<MPI_Datatype*>(made, none).in_c());
}
TERRACE_OLDER_SUBROUTINE(errhandler_create,
                         (MPI_Comm_errhandler_function * function, Fint* handler, Fint* error)) {
  pmpi_comm_create_errhandler_(function, handler, error);
}
TERRACE_OLDER_SUBROUTINE(errhandler_set, (const Fint* comm, const Fint* handler, Fint* error)) {
  *error =
      MPI_Comm_set_errhandler(handle_in_c<MPI_Comm>(*comm), handle_in_c<MPI_Errhandler>(*handler));
}
TERRACE_OLDER_SUBROUTINE(errhandler_get, (const Fint* comm, Fint* handler, Fint* error)) {
  TextLengths none{};
  *error = MPI_Comm_get_errhandler(handle_in_c<MPI_Comm>(*comm),
                                   Argument<MPI_Errhandler*>(handler, none).in_c());
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
TERRACE_OLDER_SUBROUTINE(f_sync_reg, (void*)) {}

#pragma GCC visibility pop
