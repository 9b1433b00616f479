// SPDX-License-Identifier: BSD-3-Clause
// The MPICH ABI (libmpi.so.12 and libmpich.so.12: MPICH, Intel MPI and others), as far as Terrace
// calls its MPIs. Handles are integers. A test compares handles and constants with the real mpi.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace terrace::abi::mpich {

using Comm = int;
using Info = int;
using Datatype = int;
using Op = int;
using Request = int;
using Count = std::int64_t;

/// The form of a predefined object in this header: its handle.
using Predefined = int;
inline constexpr Predefined kCommNull = 0x04000000;
inline constexpr Predefined kCommWorld = 0x44000000;
inline constexpr Predefined kInfoNull = 0x1c000000;
inline constexpr Predefined kByte = 0x4c00010d;
inline constexpr Predefined kRequestNull = 0x2c000000;

/// The handle of a predefined object. No symbol is looked up: in this ABI the handle is a constant.
template <class FindSymbol>
constexpr int handle_of(Predefined object, const FindSymbol&) {
  return object;
}

/// The ABI keeps a predefined type's size in its handle.
inline constexpr std::size_t bytes_in_handle(std::uintptr_t type) {
  return (type >> 8) & 0xff;
}

inline constexpr std::intptr_t kInPlace = -1;
inline constexpr std::intptr_t kStatusIgnore = 1;
inline constexpr std::size_t kStatusBytes = 20;
inline constexpr std::size_t kStatusErrorAt = 16;
inline constexpr int kUndefined = -32766;
inline constexpr int kAnySource = -2;
inline constexpr int kProcNull = -1;
inline constexpr int kKeyvalInvalid = 0x24000000;
inline constexpr int kThreadSerialized = 2;
inline constexpr int kThreadMultiple = 3;

inline constexpr int kCart = 2, kGraph = 1, kDistGraph = 3;

inline constexpr int kTypeShared = 1;
// Before MPI 4.0 and 4.1, these numbers were split types of MPICH's own.
inline constexpr int kTypeHwGuided = 2;
inline constexpr int kTypeHwUnguided = 3;
inline constexpr int kTypeResourceGuided = 4;

inline constexpr int kErrorComm = 5;
inline constexpr int kErrorRank = 6;
inline constexpr int kErrorArg = 12;
inline constexpr int kErrorTruncate = 14;
inline constexpr int kErrorInStatus = 17;
inline constexpr int kErrorOther = 15;
// Error classes of MPI_T.
inline constexpr int kErrorToolIndex = 62, kErrorToolHandle = 64, kErrorToolName = 73;
inline constexpr int kErrorNoStartStop = 70;
// Classes and properties of variables of MPI_T.
inline constexpr int kCounter = 246, kAggregate = 247, kVerbosityBasic = 221,
                     kBoundToNothing = 9700;
/// MPI_T_PVAR_ALL_HANDLES: an object of the library holds it.
inline std::uintptr_t all_handles(void* (*find_object)(const char*)) {
  const auto* const place =
      static_cast<const std::uintptr_t*>(find_object("MPI_T_PVAR_ALL_HANDLES"));
  return place != nullptr ? *place : 0;
}

/// Names of the functions that convert Fortran's integers to handles, and back; null, as handles
/// are Fortran's integers.
inline constexpr const char* kCommFromFortran = nullptr;
inline constexpr const char* kCommToFortran = nullptr;
inline constexpr const char* kInfoFromFortran = nullptr;
inline constexpr const char* kInfoToFortran = nullptr;

inline constexpr bool kTakesEqualBuffers = false;
inline constexpr const char* kFaultToleranceFlag = nullptr;  ///< no such MPI has ULFM at work

/// A predefined object by its name in mpi.h.
struct Named {
  const char* name;
  Predefined value;
};

inline constexpr Named kNamed[] = {
    {"MPI_COMM_WORLD", kCommWorld},
    {"MPI_COMM_SELF", 0x44000001},
    {"MPI_COMM_NULL", kCommNull},
    {"MPI_DATATYPE_NULL", 0x0c000000},
    {"MPI_MAX", 0x58000001},
    {"MPI_MIN", 0x58000002},
    {"MPI_SUM", 0x58000003},
    {"MPI_PROD", 0x58000004},
    {"MPI_LAND", 0x58000005},
    {"MPI_BAND", 0x58000006},
    {"MPI_LOR", 0x58000007},
    {"MPI_BOR", 0x58000008},
    {"MPI_LXOR", 0x58000009},
    {"MPI_BXOR", 0x5800000a},
    {"MPI_MINLOC", 0x5800000b},
    {"MPI_MAXLOC", 0x5800000c},
    {"MPI_CHAR", 0x4c000101},
    {"MPI_SIGNED_CHAR", 0x4c000118},
    {"MPI_UNSIGNED_CHAR", 0x4c000102},
    {"MPI_BYTE", kByte},
    {"MPI_WCHAR", 0x4c00040e},
    {"MPI_SHORT", 0x4c000203},
    {"MPI_UNSIGNED_SHORT", 0x4c000204},
    {"MPI_INT", 0x4c000405},
    {"MPI_UNSIGNED", 0x4c000406},
    {"MPI_LONG", 0x4c000807},
    {"MPI_UNSIGNED_LONG", 0x4c000808},
    {"MPI_FLOAT", 0x4c00040a},
    {"MPI_DOUBLE", 0x4c00080b},
    {"MPI_LONG_DOUBLE", 0x4c00100c},
    {"MPI_LONG_LONG_INT", 0x4c000809},
    {"MPI_UNSIGNED_LONG_LONG", 0x4c000819},
    {"MPI_PACKED", 0x4c00010f},
    {"MPI_COMPLEX", 0x4c00081e},
    {"MPI_DOUBLE_COMPLEX", 0x4c001022},
    {"MPI_LOGICAL", 0x4c00041d},
    {"MPI_REAL", 0x4c00041c},
    {"MPI_DOUBLE_PRECISION", 0x4c00081f},
    {"MPI_INTEGER", 0x4c00041b},
    {"MPI_CHARACTER", 0x4c00011a},
    {"MPI_REAL4", 0x4c000427},
    {"MPI_REAL8", 0x4c000829},
    {"MPI_INTEGER1", 0x4c00012d},
    {"MPI_INTEGER2", 0x4c00022f},
    {"MPI_INTEGER4", 0x4c000430},
    {"MPI_INTEGER8", 0x4c000831},
    {"MPI_INT8_T", 0x4c000137},
    {"MPI_INT16_T", 0x4c000238},
    {"MPI_INT32_T", 0x4c000439},
    {"MPI_INT64_T", 0x4c00083a},
    {"MPI_UINT8_T", 0x4c00013b},
    {"MPI_UINT16_T", 0x4c00023c},
    {"MPI_UINT32_T", 0x4c00043d},
    {"MPI_UINT64_T", 0x4c00083e},
    {"MPI_C_BOOL", 0x4c00013f},
    {"MPI_C_FLOAT_COMPLEX", 0x4c000840},
    {"MPI_C_DOUBLE_COMPLEX", 0x4c001041},
    {"MPI_AINT", 0x4c000843},
    {"MPI_OFFSET", 0x4c000844},
    {"MPI_COUNT", 0x4c000845},
    {"MPI_C_LONG_DOUBLE_COMPLEX", 0x4c002042},
    {"MPI_CXX_BOOL", 0x4c000133},
    {"MPI_CXX_FLOAT_COMPLEX", 0x4c000834},
    {"MPI_CXX_DOUBLE_COMPLEX", 0x4c001035},
    {"MPI_CXX_LONG_DOUBLE_COMPLEX", 0x4c002036},
    {"MPI_FLOAT_INT", static_cast<int>(0x8c000000)},
    {"MPI_DOUBLE_INT", static_cast<int>(0x8c000001)},
    {"MPI_LONG_INT", static_cast<int>(0x8c000002)},
    {"MPI_SHORT_INT", static_cast<int>(0x8c000003)},
    {"MPI_LONG_DOUBLE_INT", static_cast<int>(0x8c000004)},
    {"MPI_2INT", 0x4c000816},
    {"MPI_2INTEGER", 0x4c000820},
    {"MPI_2REAL", 0x4c000821},
    {"MPI_2DOUBLE_PRECISION", 0x4c001023},
    {"MPI_COMPLEX8", 0x4c000828},
    {"MPI_COMPLEX16", 0x4c00102a},
};

}  // namespace terrace::abi::mpich
