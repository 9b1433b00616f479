// SPDX-License-Identifier: BSD-3-Clause
// The part of the MPICH ABI that communicators need (libmpi.so.12: MPICH, Intel MPI and others).
// Handles are integers. A test compares all of it with the real mpi.h.
#pragma once

#include <cstdint>

namespace terrace::communicators::mpich {

using Comm = int;
using Info = int;
using Datatype = int;
using Request = int;

inline constexpr std::intptr_t kStatusIgnore = 1;
inline constexpr int kUndefined = -32766;
inline constexpr int kKeyvalInvalid = 0x24000000;
inline constexpr int kTypeShared = 1;
// Before MPI 4.0 and 4.1, these numbers were split types of MPICH's own.
inline constexpr int kTypeHwGuided = 2;
inline constexpr int kTypeHwUnguided = 3;
inline constexpr int kTypeResourceGuided = 4;
inline constexpr int kErrorComm = 5;
inline constexpr int kErrorRank = 6;
inline constexpr int kErrorArg = 12;
inline constexpr int kErrorOther = 15;

/// Functions that make handles of Fortran's integers, and the other way; here they are the same.
inline constexpr const char* kCommOfFortran = nullptr;
inline constexpr const char* kCommInFortran = nullptr;
inline constexpr const char* kInfoOfFortran = nullptr;
inline constexpr const char* kInfoInFortran = nullptr;

/// The predefined objects; the function looks up symbols, which this ABI has none of.
inline constexpr Comm kCommNull = 0x04000000;
inline constexpr Comm kCommWorld = 0x44000000;
inline constexpr Info kInfoNull = 0x1c000000;
inline constexpr Datatype kByte = 0x4c00010d;
inline Comm comm_null(void* (*)(const char*)) {
  return kCommNull;
}
inline Comm comm_world(void* (*)(const char*)) {
  return kCommWorld;
}
inline Info info_null(void* (*)(const char*)) {
  return kInfoNull;
}
inline Datatype byte_type(void* (*)(const char*)) {
  return kByte;
}

}  // namespace terrace::communicators::mpich
