// SPDX-License-Identifier: BSD-3-Clause
// The part of the Open MPI ABI that communicators need (libmpi.so.40: Open MPI 3 to 5). Handles are
// addresses of the library's objects. A test compares all of it with the real mpi.h.
#pragma once

#include <cstdint>

namespace terrace::communicators::openmpi {

using Comm = void*;
using Info = void*;
using Datatype = void*;
using Request = void*;

inline constexpr std::intptr_t kStatusIgnore = 0;
inline constexpr int kUndefined = -32766;
inline constexpr int kKeyvalInvalid = -1;
inline constexpr int kTypeShared = 0;
inline constexpr int kTypeHwGuided = 13;
inline constexpr int kTypeHwUnguided = 12;
inline constexpr int kTypeResourceGuided = 14;
inline constexpr int kErrorComm = 5;
inline constexpr int kErrorRank = 6;
inline constexpr int kErrorArg = 13;
inline constexpr int kErrorOther = 16;

/// Functions that make handles of Fortran's integers, and the other way.
inline constexpr const char* kCommOfFortran = "PMPI_Comm_f2c";
inline constexpr const char* kCommInFortran = "PMPI_Comm_c2f";
inline constexpr const char* kInfoOfFortran = "PMPI_Info_f2c";
inline constexpr const char* kInfoInFortran = "PMPI_Info_c2f";

/// The symbols of the predefined objects, and these by the function that looks them up.
inline constexpr const char* kCommNull = "ompi_mpi_comm_null";
inline constexpr const char* kCommWorld = "ompi_mpi_comm_world";
inline constexpr const char* kInfoNull = "ompi_mpi_info_null";
inline constexpr const char* kByte = "ompi_mpi_byte";
inline Comm comm_null(void* (*find)(const char*)) {
  return find(kCommNull);
}
inline Comm comm_world(void* (*find)(const char*)) {
  return find(kCommWorld);
}
inline Info info_null(void* (*find)(const char*)) {
  return find(kInfoNull);
}
inline Datatype byte_type(void* (*find)(const char*)) {
  return find(kByte);
}

}  // namespace terrace::communicators::openmpi
