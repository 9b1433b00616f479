// SPDX-License-Identifier: BSD-3-Clause
// The part of MPI 5.0's ABI that communicators need (libmpi_abi.so.1). Handles are addresses that
// stand for small numbers. A test compares all of it with the real mpi_abi.h.
#pragma once

#include <cstdint>

namespace terrace::communicators::standard {

using Comm = void*;
using Info = void*;
using Datatype = void*;
using Request = void*;

inline constexpr std::intptr_t kStatusIgnore = 0;
inline constexpr int kUndefined = -32766;
inline constexpr int kKeyvalInvalid = 0;
inline constexpr int kTypeShared = 221;
inline constexpr int kTypeHwGuided = 223;
inline constexpr int kTypeHwUnguided = 222;
inline constexpr int kTypeResourceGuided = 224;
inline constexpr int kErrorComm = 5;
inline constexpr int kErrorRank = 6;
inline constexpr int kErrorArg = 13;
inline constexpr int kErrorOther = 16;

/// Functions that make handles of Fortran's integers, and the other way.
inline constexpr const char* kCommOfFortran = "PMPI_Comm_fromint";
inline constexpr const char* kCommInFortran = "PMPI_Comm_toint";
inline constexpr const char* kInfoOfFortran = "PMPI_Info_fromint";
inline constexpr const char* kInfoInFortran = "PMPI_Info_toint";

/// The numbers of the predefined objects; the function looks up symbols, which this ABI has none
/// of.
inline constexpr std::uintptr_t kCommNull = 0x100;
inline constexpr std::uintptr_t kCommWorld = 0x101;
inline constexpr std::uintptr_t kInfoNull = 0x130;
inline constexpr std::uintptr_t kByte = 0x247;
inline void* handle_of(std::uintptr_t number) {
  return reinterpret_cast<void*>(number);
}
inline Comm comm_null(void* (*)(const char*)) {
  return handle_of(kCommNull);
}
inline Comm comm_world(void* (*)(const char*)) {
  return handle_of(kCommWorld);
}
inline Info info_null(void* (*)(const char*)) {
  return handle_of(kInfoNull);
}
inline Datatype byte_type(void* (*)(const char*)) {
  return handle_of(kByte);
}

}  // namespace terrace::communicators::standard
