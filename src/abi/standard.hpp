// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0's ABI (libmpi_abi.so.1: MPICH 5, Intel MPI 2021.18, Open MPI 6), as far as Terrace calls
// its MPIs. Handles are small numbers in the form of addresses. A test compares handles and
// constants with the real mpi_abi.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace terrace::abi::standard {

using Comm = void*;
using Info = void*;
using Datatype = void*;
using Op = void*;
using Request = void*;
using Count = std::int64_t;

/// The form of a predefined object in this header: the number in its handle.
using Predefined = std::uintptr_t;
inline constexpr Predefined kCommNull = 0x100;
inline constexpr Predefined kCommWorld = 0x101;
inline constexpr Predefined kInfoNull = 0x130;
inline constexpr Predefined kByte = 0x247;
inline constexpr Predefined kRequestNull = 0x180;

/// The handle of a predefined object. No symbol is looked up: in this ABI the handle is a constant.
template <class FindSymbol>
void* handle_of(Predefined object, const FindSymbol&) {
  return reinterpret_cast<void*>(object);
}

/// Handles of types of fixed size hold the size: its logarithm, in three bits.
inline constexpr std::size_t bytes_in_handle(std::uintptr_t type) {
  const bool is_fixed = (type & ~std::uintptr_t{0xbf}) == 0x240;
  return is_fixed ? std::size_t{1} << ((type >> 3) & 7) : 0;
}

inline constexpr std::intptr_t kInPlace = 1;
inline constexpr std::intptr_t kStatusIgnore = 0;
inline constexpr std::size_t kStatusBytes = 32;
inline constexpr std::size_t kStatusErrorAt = 8;
inline constexpr int kUndefined = -32766;
inline constexpr int kAnySource = -1;
inline constexpr int kProcNull = -3;
inline constexpr int kKeyvalInvalid = 0;
inline constexpr int kThreadSerialized = 2048;
inline constexpr int kThreadMultiple = 4096;

inline constexpr int kCart = 211, kGraph = 212, kDistGraph = 213;

inline constexpr int kTypeShared = 221;
inline constexpr int kTypeHwGuided = 223;
inline constexpr int kTypeHwUnguided = 222;
inline constexpr int kTypeResourceGuided = 224;

inline constexpr int kErrorComm = 5;
inline constexpr int kErrorRank = 6;
inline constexpr int kErrorArg = 13;
inline constexpr int kErrorTruncate = 15;
inline constexpr int kErrorInStatus = 19;
inline constexpr int kErrorOther = 16;
// Error classes of MPI_T.
inline constexpr int kErrorToolIndex = 1007, kErrorToolHandle = 1010, kErrorToolName = 1011;
inline constexpr int kErrorNoStartStop = 1017;
// Classes and properties of variables of MPI_T.
inline constexpr int kCounter = 7, kAggregate = 8, kVerbosityBasic = 9, kBoundToNothing = 1;
/// MPI_T_PVAR_ALL_HANDLES.
inline std::uintptr_t all_handles(void* (*)(const char*)) {
  return 1;
}

/// Names of the functions that convert Fortran's integers to handles, and back.
inline constexpr const char* kCommFromFortran = "PMPI_Comm_fromint";
inline constexpr const char* kCommToFortran = "PMPI_Comm_toint";
inline constexpr const char* kInfoFromFortran = "PMPI_Info_fromint";
inline constexpr const char* kInfoToFortran = "PMPI_Info_toint";

inline constexpr bool kTakesEqualBuffers = false;
inline constexpr const char* kFaultToleranceFlag = nullptr;  ///< no such MPI has ULFM at work

/// A predefined object by its name in mpi.h.
struct Named {
  const char* name;
  Predefined value;
};

inline constexpr Named kNamed[] = {
    {"MPI_COMM_WORLD", kCommWorld},
    {"MPI_COMM_SELF", 0x102},
    {"MPI_COMM_NULL", kCommNull},
    {"MPI_DATATYPE_NULL", 0x200},
    {"MPI_MAX", 0x23},
    {"MPI_MIN", 0x22},
    {"MPI_SUM", 0x21},
    {"MPI_PROD", 0x24},
    {"MPI_LAND", 0x30},
    {"MPI_BAND", 0x28},
    {"MPI_LOR", 0x31},
    {"MPI_BOR", 0x29},
    {"MPI_LXOR", 0x32},
    {"MPI_BXOR", 0x2a},
    {"MPI_MINLOC", 0x38},
    {"MPI_MAXLOC", 0x39},
    {"MPI_CHAR", 0x243},
    {"MPI_SIGNED_CHAR", 0x244},
    {"MPI_UNSIGNED_CHAR", 0x245},
    {"MPI_BYTE", kByte},
    {"MPI_WCHAR", 0x23c},
    {"MPI_SHORT", 0x208},
    {"MPI_UNSIGNED_SHORT", 0x20c},
    {"MPI_INT", 0x209},
    {"MPI_UNSIGNED", 0x20d},
    {"MPI_LONG", 0x20a},
    {"MPI_UNSIGNED_LONG", 0x20e},
    {"MPI_FLOAT", 0x210},
    {"MPI_DOUBLE", 0x214},
    {"MPI_LONG_DOUBLE", 0x220},
    {"MPI_LONG_LONG_INT", 0x20b},
    {"MPI_UNSIGNED_LONG_LONG", 0x20f},
    {"MPI_PACKED", 0x207},
    {"MPI_COMPLEX", 0x21b},
    {"MPI_DOUBLE_COMPLEX", 0x21d},
    {"MPI_LOGICAL", 0x218},
    {"MPI_REAL", 0x21a},
    {"MPI_DOUBLE_PRECISION", 0x21c},
    {"MPI_INTEGER", 0x219},
    {"MPI_CHARACTER", 0x21e},
    {"MPI_REAL4", 0x2d2},
    {"MPI_REAL8", 0x2da},
    {"MPI_INTEGER1", 0x2c1},
    {"MPI_INTEGER2", 0x2c9},
    {"MPI_INTEGER4", 0x2d1},
    {"MPI_INTEGER8", 0x2d9},
    {"MPI_INT8_T", 0x240},
    {"MPI_INT16_T", 0x248},
    {"MPI_INT32_T", 0x250},
    {"MPI_INT64_T", 0x258},
    {"MPI_UINT8_T", 0x241},
    {"MPI_UINT16_T", 0x249},
    {"MPI_UINT32_T", 0x251},
    {"MPI_UINT64_T", 0x259},
    {"MPI_C_BOOL", 0x238},
    {"MPI_C_FLOAT_COMPLEX", 0x212},
    {"MPI_C_DOUBLE_COMPLEX", 0x216},
    {"MPI_AINT", 0x201},
    {"MPI_OFFSET", 0x203},
    {"MPI_COUNT", 0x202},
    {"MPI_C_LONG_DOUBLE_COMPLEX", 0x224},
    {"MPI_CXX_BOOL", 0x239},
    {"MPI_CXX_FLOAT_COMPLEX", 0x213},
    {"MPI_CXX_DOUBLE_COMPLEX", 0x217},
    {"MPI_CXX_LONG_DOUBLE_COMPLEX", 0x225},
    {"MPI_FLOAT_INT", 0x228},
    {"MPI_DOUBLE_INT", 0x229},
    {"MPI_LONG_INT", 0x22a},
    {"MPI_SHORT_INT", 0x22c},
    {"MPI_LONG_DOUBLE_INT", 0x22d},
    {"MPI_2INT", 0x22b},
    {"MPI_2INTEGER", 0x232},
    {"MPI_2REAL", 0x230},
    {"MPI_2DOUBLE_PRECISION", 0x231},
    {"MPI_COMPLEX8", 0x2db},
    {"MPI_COMPLEX16", 0x2e3},
};

}  // namespace terrace::abi::standard
