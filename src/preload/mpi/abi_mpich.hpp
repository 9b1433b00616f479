// SPDX-License-Identifier: BSD-3-Clause
// The part of the MPICH ABI that the preload needs beyond that of communicators (libmpi.so.12 and
// libmpich.so.12: MPICH, Intel MPI and others). Handles are integers. A test compares all of it
// with the real mpi.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "communicators/abi_mpich.hpp"
#include "communicators/names_mpich.hpp"

namespace terrace::preload::mpich {

inline constexpr const char* kName = "mpich";

using communicators::mpich::Comm;
using communicators::mpich::Datatype;
using Op = int;
using communicators::mpich::Request;
using Count = std::int64_t;

inline constexpr std::intptr_t kInPlace = -1;
using communicators::mpich::kKeyvalInvalid;
using communicators::mpich::kStatusIgnore;
inline constexpr int kThreadMultiple = 3;
inline constexpr int kAnySource = -2;
inline constexpr int kErrTruncate = 14;
// Error classes of MPI_T.
inline constexpr int kErrToolIndex = 62, kErrToolHandle = 64, kErrToolName = 73;
inline constexpr int kErrNoStartStop = 70;
inline constexpr int kCounter = 246, kAggregate = 247, kVerbosityBasic = 221,
                     kBoundToNothing = 9700;
/// MPI_T_PVAR_ALL_HANDLES: an object of the library holds it.
inline std::uintptr_t all_handles(void* (*find_object)(const char*)) {
  const auto* const place =
      static_cast<const std::uintptr_t*>(find_object("MPI_T_PVAR_ALL_HANDLES"));
  return place != nullptr ? *place : 0;
}
inline constexpr bool kTakesEqualBuffers = false;
inline constexpr const char* kFaultToleranceFlag = nullptr;  ///< no such MPI has ULFM at work

using communicators::mpich::kNamed;
using communicators::mpich::Named;

inline std::uintptr_t find(const Named& named, void* (*)(const char*)) {
  return static_cast<unsigned>(named.handle);
}

/// The ABI keeps a predefined type's size in its handle.
inline constexpr std::size_t bytes_in_handle(std::uintptr_t type) {
  return (type >> 8) & 0xff;
}

}  // namespace terrace::preload::mpich
