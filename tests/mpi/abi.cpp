// SPDX-License-Identifier: BSD-3-Clause
// Compares what src/abi says about an ABI with the mpi.h that this file is compiled with.
#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <iterator>
#include <type_traits>

#include TERRACE_ABI_HEADER

#include "preload/mpi/underlying_mpi.hpp"

// Where they are enumerators, the preprocessor does not see them.
#if defined(MPI_ABI_VERSION)
#define TERRACE_HEADER_KNOWS 6
#elif defined(OMPI_MAJOR_VERSION)
#define TERRACE_HEADER_KNOWS OMPI_MAJOR_VERSION
#else
#define TERRACE_HEADER_KNOWS 0
#endif

namespace abi = terrace::abi::TERRACE_ABI;

namespace {

struct Real {
  const char* name;
  std::uintptr_t handle;
};

template <class Native>
std::uintptr_t widen(Native handle) {
  if constexpr (std::is_pointer_v<Native>)
    return reinterpret_cast<std::uintptr_t>(handle);
  else
    return static_cast<unsigned>(handle);
}

template <class Native>
Native narrow(std::uintptr_t handle) {
  if constexpr (std::is_pointer_v<Native>)
    return reinterpret_cast<Native>(handle);
  else
    return static_cast<Native>(handle);
}

#define REAL(name) \
  { #name, widen(name) }
const Real kReal[] = {
    REAL(MPI_COMM_WORLD),
    REAL(MPI_COMM_SELF),
    REAL(MPI_COMM_NULL),
    REAL(MPI_DATATYPE_NULL),
    REAL(MPI_MAX),
    REAL(MPI_MIN),
    REAL(MPI_SUM),
    REAL(MPI_PROD),
    REAL(MPI_LAND),
    REAL(MPI_BAND),
    REAL(MPI_LOR),
    REAL(MPI_BOR),
    REAL(MPI_LXOR),
    REAL(MPI_BXOR),
    REAL(MPI_MINLOC),
    REAL(MPI_MAXLOC),
    REAL(MPI_CHAR),
    REAL(MPI_SIGNED_CHAR),
    REAL(MPI_UNSIGNED_CHAR),
    REAL(MPI_BYTE),
    REAL(MPI_WCHAR),
    REAL(MPI_SHORT),
    REAL(MPI_UNSIGNED_SHORT),
    REAL(MPI_INT),
    REAL(MPI_UNSIGNED),
    REAL(MPI_LONG),
    REAL(MPI_UNSIGNED_LONG),
    REAL(MPI_FLOAT),
    REAL(MPI_DOUBLE),
    REAL(MPI_LONG_DOUBLE),
    REAL(MPI_LONG_LONG_INT),
    REAL(MPI_UNSIGNED_LONG_LONG),
    REAL(MPI_PACKED),
    REAL(MPI_COMPLEX),
    REAL(MPI_DOUBLE_COMPLEX),
    REAL(MPI_LOGICAL),
    REAL(MPI_REAL),
    REAL(MPI_DOUBLE_PRECISION),
    REAL(MPI_INTEGER),
    REAL(MPI_CHARACTER),
    REAL(MPI_REAL4),
    REAL(MPI_REAL8),
    REAL(MPI_INTEGER1),
    REAL(MPI_INTEGER2),
    REAL(MPI_INTEGER4),
    REAL(MPI_INTEGER8),
    REAL(MPI_INT8_T),
    REAL(MPI_INT16_T),
    REAL(MPI_INT32_T),
    REAL(MPI_INT64_T),
    REAL(MPI_UINT8_T),
    REAL(MPI_UINT16_T),
    REAL(MPI_UINT32_T),
    REAL(MPI_UINT64_T),
    REAL(MPI_C_BOOL),
    REAL(MPI_C_FLOAT_COMPLEX),
    REAL(MPI_C_DOUBLE_COMPLEX),
    REAL(MPI_AINT),
    REAL(MPI_OFFSET),
    REAL(MPI_COUNT),
    REAL(MPI_C_LONG_DOUBLE_COMPLEX),
    REAL(MPI_CXX_BOOL),
    REAL(MPI_CXX_FLOAT_COMPLEX),
    REAL(MPI_CXX_DOUBLE_COMPLEX),
    REAL(MPI_CXX_LONG_DOUBLE_COMPLEX),
    REAL(MPI_FLOAT_INT),
    REAL(MPI_DOUBLE_INT),
    REAL(MPI_LONG_INT),
    REAL(MPI_SHORT_INT),
    REAL(MPI_LONG_DOUBLE_INT),
    REAL(MPI_2INT),
    REAL(MPI_2INTEGER),
    REAL(MPI_2REAL),
    REAL(MPI_2DOUBLE_PRECISION),
    REAL(MPI_COMPLEX8),
    REAL(MPI_COMPLEX16),
};

int failures = 0;

void expect(bool holds, const char* what, const char* name) {
  if (holds) return;
  ++failures;
  std::printf("%s: %s\n", name, what);
}

const Real* real(const char* name) {
  for (const Real& one : kReal)
    if (std::strcmp(one.name, name) == 0) return &one;
  return nullptr;
}

void* find_symbol(const char* name) {
  return dlsym(RTLD_DEFAULT, name);
}

void check_handles() {
  expect(std::size(kReal) == std::size(abi::kNamed), "as many names here as there", "kNamed");
  for (const abi::Named& named : abi::kNamed) {
    const Real* one = real(named.name);
    expect(one != nullptr, "not compared", named.name);
    const std::uintptr_t ours = widen(abi::handle_of(named.value, find_symbol));
    if (one != nullptr) expect(one->handle == ours, "another handle in mpi.h", named.name);
  }
}

template <class Native>
void check_size(Native type, std::size_t bytes, std::size_t extent, const char* name) {
  int real_bytes = 0;
  if (bytes == 0) bytes = abi::bytes_in_handle(widen(type));
  if (bytes == 0 || MPI_Type_size(type, &real_bytes) != MPI_SUCCESS) return;
  expect(bytes == static_cast<std::size_t>(real_bytes), "another size in this MPI", name);
  MPI_Aint lower_bound = 0, real_extent = 0;
  MPI_Type_get_extent(type, &lower_bound, &real_extent);
  expect(extent == static_cast<std::size_t>(real_extent), "another extent in this MPI", name);
}

void check_sizes() {
  for (const terrace::NamedType& row : terrace::named_types()) {
    if (row.is_optional) continue;
    const Real* one = real(row.name);
    expect(one != nullptr, "a type without a handle", row.name);
    if (one == nullptr || row.is_fortran) continue;  // not all MPIs here have Fortran
    check_size(narrow<MPI_Datatype>(one->handle), row.bytes, row.extent(), row.name);
  }
  for (const terrace::NamedOperator& row : terrace::named_operators())
    expect(real(row.name) != nullptr, "an operator without a handle", row.name);
}

template <class Ours, class Theirs>
void check_object(Ours ours, Theirs theirs, const char* name) {
  static_assert(sizeof ours == sizeof theirs);
  expect(widen(ours) == widen(theirs), "another handle in mpi.h", name);
}

/// Those that this mpi.h has: MPICH's, and some of Open MPI's, are macros.
void check_split_types() {
#if defined(MPI_COMM_TYPE_HW_GUIDED) || TERRACE_HEADER_KNOWS >= 5
  expect(abi::kTypeHwGuided == MPI_COMM_TYPE_HW_GUIDED, "another value in mpi.h",
         "MPI_COMM_TYPE_HW_GUIDED");
  expect(abi::kTypeHwUnguided == MPI_COMM_TYPE_HW_UNGUIDED, "another value in mpi.h",
         "MPI_COMM_TYPE_HW_UNGUIDED");
#endif
#if defined(MPI_COMM_TYPE_RESOURCE_GUIDED) || TERRACE_HEADER_KNOWS >= 6
  expect(abi::kTypeResourceGuided == MPI_COMM_TYPE_RESOURCE_GUIDED, "another value in mpi.h",
         "MPI_COMM_TYPE_RESOURCE_GUIDED");
#endif
}

void check_communicators() {
  static_assert(abi::kUndefined == MPI_UNDEFINED);
  static_assert(abi::kKeyvalInvalid == MPI_KEYVAL_INVALID);
  static_assert(abi::kErrorComm == MPI_ERR_COMM);
  static_assert(abi::kErrorRank == MPI_ERR_RANK);
  static_assert(abi::kErrorArg == MPI_ERR_ARG);
  static_assert(abi::kErrorOther == MPI_ERR_OTHER);
  expect(abi::kTypeShared == MPI_COMM_TYPE_SHARED, "another value in mpi.h",
         "MPI_COMM_TYPE_SHARED");
  check_split_types();
  check_object(abi::handle_of(abi::kCommNull, find_symbol), MPI_COMM_NULL, "MPI_COMM_NULL");
  check_object(abi::handle_of(abi::kCommWorld, find_symbol), MPI_COMM_WORLD, "MPI_COMM_WORLD");
  check_object(abi::handle_of(abi::kInfoNull, find_symbol), MPI_INFO_NULL, "MPI_INFO_NULL");
  check_object(abi::handle_of(abi::kByte, find_symbol), MPI_BYTE, "MPI_BYTE");
  check_object(abi::handle_of(abi::kRequestNull, find_symbol), MPI_REQUEST_NULL,
               "MPI_REQUEST_NULL");
}

}  // namespace

int main(int argc, char** argv) {
  static_assert(sizeof(MPI_Comm) == sizeof(abi::Comm) && sizeof(MPI_Op) == sizeof(abi::Op));
  static_assert(sizeof(MPI_Datatype) == sizeof(abi::Datatype));
  static_assert(sizeof(MPI_Request) == sizeof(abi::Request));
  static_assert(sizeof(MPI_Status) == abi::kStatusBytes);
  static_assert(offsetof(MPI_Status, MPI_ERROR) == abi::kStatusErrorAt);
  static_assert(MPI_PROC_NULL == abi::kProcNull);
  static_assert(MPI_CART == abi::kCart && MPI_GRAPH == abi::kGraph);
  static_assert(MPI_DIST_GRAPH == abi::kDistGraph);
  static_assert(sizeof(MPI_Count) == sizeof(abi::Count));
  static_assert(sizeof(MPI_Aint) == sizeof(std::intptr_t));
  static_assert(MPI_SUCCESS == 0);
  static_assert(MPI_ERR_TRUNCATE == abi::kErrorTruncate);
  static_assert(MPI_ERR_IN_STATUS == abi::kErrorInStatus);
  static_assert(MPI_THREAD_SERIALIZED == abi::kThreadSerialized);
  static_assert(MPI_THREAD_MULTIPLE == abi::kThreadMultiple);
  static_assert(MPI_T_ERR_INVALID_INDEX == abi::kErrorToolIndex);
  static_assert(MPI_T_ERR_INVALID_HANDLE == abi::kErrorToolHandle);
  static_assert(MPI_T_ERR_INVALID_NAME == abi::kErrorToolName);
  static_assert(MPI_T_ERR_PVAR_NO_STARTSTOP == abi::kErrorNoStartStop);
  static_assert(MPI_T_PVAR_CLASS_COUNTER == static_cast<int>(abi::kCounter));
  static_assert(MPI_T_PVAR_CLASS_AGGREGATE == static_cast<int>(abi::kAggregate));
  static_assert(MPI_T_VERBOSITY_USER_BASIC == static_cast<int>(abi::kVerbosityBasic));
  static_assert(MPI_T_BIND_NO_OBJECT == static_cast<int>(abi::kBoundToNothing));
  expect(widen(MPI_T_PVAR_ALL_HANDLES) == abi::all_handles(find_symbol), "another value in mpi.h",
         "MPI_T_PVAR_ALL_HANDLES");
  static_assert(MPI_ANY_SOURCE == abi::kAnySource && MPI_KEYVAL_INVALID == abi::kKeyvalInvalid);
  expect(reinterpret_cast<std::intptr_t>(MPI_IN_PLACE) == abi::kInPlace, "another value in mpi.h",
         "MPI_IN_PLACE");
  expect(reinterpret_cast<std::intptr_t>(MPI_STATUS_IGNORE) == abi::kStatusIgnore,
         "another value in mpi.h", "MPI_STATUS_IGNORE");
  MPI_Init(&argc, &argv);
  check_handles();
  check_sizes();
  check_communicators();
  MPI_Finalize();
  if (failures == 0) std::printf("all right %d\n", failures);
  return failures != 0;
}
