// SPDX-License-Identifier: BSD-3-Clause
// The Open MPI ABI (libmpi.so.40: Open MPI 3 to 5), as far as Terrace calls its MPIs. Handles are
// addresses of the library's objects. A test compares handles and constants with the real mpi.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace terrace::abi::openmpi {

using Comm = void*;
using Info = void*;
using Datatype = void*;
using Op = void*;
using Request = void*;
using Count = std::int64_t;

/// The form of a predefined object in this header: its symbol.
using Predefined = const char*;
inline constexpr Predefined kCommNull = "ompi_mpi_comm_null";
inline constexpr Predefined kCommWorld = "ompi_mpi_comm_world";
inline constexpr Predefined kInfoNull = "ompi_mpi_info_null";
inline constexpr Predefined kByte = "ompi_mpi_byte";
inline constexpr Predefined kRequestNull = "ompi_request_null";

/// The handle of a predefined object; null if this MPI does not have it.
template <class FindSymbol>
void* handle_of(Predefined object, const FindSymbol& find_symbol) {
  return find_symbol(object);
}

/// An address does not tell the size: the MPI must be asked.
inline constexpr std::size_t bytes_in_handle(std::uintptr_t) {
  return 0;
}

inline constexpr std::intptr_t kInPlace = 1;
inline constexpr std::intptr_t kStatusIgnore = 0;
inline constexpr std::size_t kStatusBytes = 24;
inline constexpr std::size_t kStatusErrorAt = 8;
inline constexpr int kUndefined = -32766;
inline constexpr int kAnySource = -1;
inline constexpr int kProcNull = -2;
inline constexpr int kKeyvalInvalid = -1;
inline constexpr int kThreadSerialized = 2;
inline constexpr int kThreadMultiple = 3;

inline constexpr int kCart = 1, kGraph = 2, kDistGraph = 3;

inline constexpr int kTypeShared = 0;
inline constexpr int kTypeHwGuided = 13;
inline constexpr int kTypeHwUnguided = 12;
inline constexpr int kTypeResourceGuided = 14;

inline constexpr int kErrorComm = 5;
inline constexpr int kErrorRank = 6;
inline constexpr int kErrorArg = 13;
inline constexpr int kErrorTruncate = 15;
inline constexpr int kErrorInStatus = 18;
inline constexpr int kErrorOther = 16;
// Error classes of MPI_T.
inline constexpr int kErrorToolIndex = 57, kErrorToolHandle = 59, kErrorToolName = 73;
inline constexpr int kErrorNoStartStop = 65;
// Classes and properties of variables of MPI_T.
inline constexpr int kCounter = 6, kAggregate = 7, kVerbosityBasic = 0, kBoundToNothing = 0;
/// MPI_T_PVAR_ALL_HANDLES.
inline std::uintptr_t all_handles(void* (*)(const char*)) {
  return ~std::uintptr_t{0};
}

/// Names of the functions that convert Fortran's integers to handles, and back.
inline constexpr const char* kCommFromFortran = "PMPI_Comm_f2c";
inline constexpr const char* kCommToFortran = "PMPI_Comm_c2f";
inline constexpr const char* kInfoFromFortran = "PMPI_Info_f2c";
inline constexpr const char* kInfoToFortran = "PMPI_Info_c2f";

inline constexpr bool kTakesEqualBuffers = true;
/// A bool of Open MPI 5, known after MPI_Init: `mpirun --with-ft ulfm`, or mpi_ft_enable.
inline constexpr const char* kFaultToleranceFlag = "ompi_ftmpi_enabled";

/// A predefined object by its name in mpi.h.
struct Named {
  const char* name;
  Predefined value;
};

inline constexpr Named kNamed[] = {
    {"MPI_COMM_WORLD", kCommWorld},
    {"MPI_COMM_SELF", "ompi_mpi_comm_self"},
    {"MPI_COMM_NULL", kCommNull},
    {"MPI_DATATYPE_NULL", "ompi_mpi_datatype_null"},
    {"MPI_MAX", "ompi_mpi_op_max"},
    {"MPI_MIN", "ompi_mpi_op_min"},
    {"MPI_SUM", "ompi_mpi_op_sum"},
    {"MPI_PROD", "ompi_mpi_op_prod"},
    {"MPI_LAND", "ompi_mpi_op_land"},
    {"MPI_BAND", "ompi_mpi_op_band"},
    {"MPI_LOR", "ompi_mpi_op_lor"},
    {"MPI_BOR", "ompi_mpi_op_bor"},
    {"MPI_LXOR", "ompi_mpi_op_lxor"},
    {"MPI_BXOR", "ompi_mpi_op_bxor"},
    {"MPI_MINLOC", "ompi_mpi_op_minloc"},
    {"MPI_MAXLOC", "ompi_mpi_op_maxloc"},
    {"MPI_CHAR", "ompi_mpi_char"},
    {"MPI_SIGNED_CHAR", "ompi_mpi_signed_char"},
    {"MPI_UNSIGNED_CHAR", "ompi_mpi_unsigned_char"},
    {"MPI_BYTE", kByte},
    {"MPI_WCHAR", "ompi_mpi_wchar"},
    {"MPI_SHORT", "ompi_mpi_short"},
    {"MPI_UNSIGNED_SHORT", "ompi_mpi_unsigned_short"},
    {"MPI_INT", "ompi_mpi_int"},
    {"MPI_UNSIGNED", "ompi_mpi_unsigned"},
    {"MPI_LONG", "ompi_mpi_long"},
    {"MPI_UNSIGNED_LONG", "ompi_mpi_unsigned_long"},
    {"MPI_FLOAT", "ompi_mpi_float"},
    {"MPI_DOUBLE", "ompi_mpi_double"},
    {"MPI_LONG_DOUBLE", "ompi_mpi_long_double"},
    {"MPI_LONG_LONG_INT", "ompi_mpi_long_long_int"},
    {"MPI_UNSIGNED_LONG_LONG", "ompi_mpi_unsigned_long_long"},
    {"MPI_PACKED", "ompi_mpi_packed"},
    {"MPI_COMPLEX", "ompi_mpi_cplex"},
    {"MPI_DOUBLE_COMPLEX", "ompi_mpi_dblcplex"},
    {"MPI_LOGICAL", "ompi_mpi_logical"},
    {"MPI_REAL", "ompi_mpi_real"},
    {"MPI_DOUBLE_PRECISION", "ompi_mpi_dblprec"},
    {"MPI_INTEGER", "ompi_mpi_integer"},
    {"MPI_CHARACTER", "ompi_mpi_character"},
    {"MPI_REAL4", "ompi_mpi_real4"},
    {"MPI_REAL8", "ompi_mpi_real8"},
    {"MPI_INTEGER1", "ompi_mpi_integer1"},
    {"MPI_INTEGER2", "ompi_mpi_integer2"},
    {"MPI_INTEGER4", "ompi_mpi_integer4"},
    {"MPI_INTEGER8", "ompi_mpi_integer8"},
    {"MPI_INT8_T", "ompi_mpi_int8_t"},
    {"MPI_INT16_T", "ompi_mpi_int16_t"},
    {"MPI_INT32_T", "ompi_mpi_int32_t"},
    {"MPI_INT64_T", "ompi_mpi_int64_t"},
    {"MPI_UINT8_T", "ompi_mpi_uint8_t"},
    {"MPI_UINT16_T", "ompi_mpi_uint16_t"},
    {"MPI_UINT32_T", "ompi_mpi_uint32_t"},
    {"MPI_UINT64_T", "ompi_mpi_uint64_t"},
    {"MPI_C_BOOL", "ompi_mpi_c_bool"},
    {"MPI_C_FLOAT_COMPLEX", "ompi_mpi_c_float_complex"},
    {"MPI_C_DOUBLE_COMPLEX", "ompi_mpi_c_double_complex"},
    {"MPI_AINT", "ompi_mpi_aint"},
    {"MPI_OFFSET", "ompi_mpi_offset"},
    {"MPI_COUNT", "ompi_mpi_count"},
    {"MPI_C_LONG_DOUBLE_COMPLEX", "ompi_mpi_c_long_double_complex"},
    {"MPI_CXX_BOOL", "ompi_mpi_cxx_bool"},
    {"MPI_CXX_FLOAT_COMPLEX", "ompi_mpi_cxx_cplex"},
    {"MPI_CXX_DOUBLE_COMPLEX", "ompi_mpi_cxx_dblcplex"},
    {"MPI_CXX_LONG_DOUBLE_COMPLEX", "ompi_mpi_cxx_ldblcplex"},
    {"MPI_FLOAT_INT", "ompi_mpi_float_int"},
    {"MPI_DOUBLE_INT", "ompi_mpi_double_int"},
    {"MPI_LONG_INT", "ompi_mpi_long_int"},
    {"MPI_SHORT_INT", "ompi_mpi_short_int"},
    {"MPI_LONG_DOUBLE_INT", "ompi_mpi_longdbl_int"},
    {"MPI_2INT", "ompi_mpi_2int"},
    {"MPI_2INTEGER", "ompi_mpi_2integer"},
    {"MPI_2REAL", "ompi_mpi_2real"},
    {"MPI_2DOUBLE_PRECISION", "ompi_mpi_2dblprec"},
    {"MPI_COMPLEX8", "ompi_mpi_complex8"},
    {"MPI_COMPLEX16", "ompi_mpi_complex16"},
};

}  // namespace terrace::abi::openmpi
