// SPDX-License-Identifier: BSD-3-Clause
// The part of MPI 5.0's ABI that the preload needs beyond that of communicators (libmpi_abi.so.1:
// MPICH 5, Intel MPI 2021.18, Open MPI 6). Handles are small numbers in the form of addresses. A
// test compares all of it with the real mpi_abi.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "communicators/abi_standard.hpp"
#include "communicators/names_standard.hpp"

namespace terrace::preload::standard {

inline constexpr const char* kName = "standard";

using communicators::standard::Comm;
using communicators::standard::Datatype;
using Op = void*;
using communicators::standard::Request;
using Count = std::int64_t;

inline constexpr std::intptr_t kInPlace = 1;
using communicators::standard::kKeyvalInvalid;
using communicators::standard::kStatusIgnore;
inline constexpr int kThreadMultiple = 4096;
inline constexpr int kAnySource = -1;
inline constexpr int kErrTruncate = 15;
// Error classes of MPI_T.
inline constexpr int kErrToolIndex = 1007, kErrToolHandle = 1010, kErrToolName = 1011;
inline constexpr int kErrNoStartStop = 1017;
inline constexpr int kCounter = 7, kAggregate = 8, kVerbosityBasic = 9, kBoundToNothing = 1;
/// MPI_T_PVAR_ALL_HANDLES.
inline std::uintptr_t all_handles(void* (*)(const char*)) {
  return 1;
}
inline constexpr bool kTakesEqualBuffers = false;
inline constexpr const char* kFaultToleranceFlag = nullptr;  ///< no such MPI has ULFM at work

using communicators::standard::kNamed;
using communicators::standard::Named;

inline std::uintptr_t find(const Named& named, void* (*)(const char*)) {
  return named.handle;
}

/// Handles of types of fixed size hold the size: its logarithm, in three bits.
inline constexpr std::size_t bytes_in_handle(std::uintptr_t type) {
  const bool is_fixed = (type & ~std::uintptr_t{0xbf}) == 0x240;
  return is_fixed ? std::size_t{1} << ((type >> 3) & 7) : 0;
}

}  // namespace terrace::preload::standard
