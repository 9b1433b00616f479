// SPDX-License-Identifier: BSD-3-Clause
// Predefined objects of the Open MPI ABI. A program knows them by the addresses of symbols. For
// many of these symbols the linker reserves a place in the program itself (a copy relocation), so
// MPI_COMM_WORLD is another address in each rank:
//
//     rank 0's program         rank 1's program         our library
//     ompi_mpi_comm_world      ompi_mpi_comm_world      ompi_mpi_comm_world
//     [mark, 0x101]            [mark, 0x101]            [mark, 0x101]
//
// So an object tells by its content which one it is, wherever it lies, and the handles that MPI
// returns are addresses in the program of the rank that calls.
#pragma once

#include <cstdint>
#include <cstring>

namespace terrace::threadranks::mpi {

/// The beginning of each predefined object.
struct PredefinedObject {
  std::uint64_t mark, number;
};
/// No other object begins like this: "TERRACE", and a number that no text has.
inline constexpr std::uint64_t kMark = 0x5445525241434501;

/// Numbers are those of the ABI of MPI 5.0. This one says that a handle is none at all.
inline constexpr std::uintptr_t kNoHandle = 0x3ff;
inline constexpr std::uintptr_t kLastNumber = 0x3ff;

/// The number of the predefined object at this address; 0: it is an object of another kind.
inline std::uintptr_t number_of(const void* handle) {
  constexpr std::uintptr_t kLowestAddress = 0x1000;
  if (reinterpret_cast<std::uintptr_t>(handle) < kLowestAddress) return kNoHandle;
  PredefinedObject object;
  std::memcpy(&object.mark, handle, sizeof object.mark);
  if (object.mark != kMark) [[likely]]
    return 0;
  std::memcpy(&object, handle, sizeof object);
  return static_cast<std::uintptr_t>(object.number);
}

/// Returns where the calling rank's program has the predefined object of that number.
void* place_of_predefined(std::uintptr_t number);

template <class Native>
Native predefined_handle(std::uintptr_t number) {
  return static_cast<Native>(place_of_predefined(number));
}

}  // namespace terrace::threadranks::mpi
