// SPDX-License-Identifier: BSD-3-Clause
// Handles and statuses of the MPICH ABI. Handles are integers: two bits tell where the object is,
// four its kind, and the rest is its number.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "collectives/collectives.hpp"
#include "threadranks/ranks/rank_state.hpp"

/// Words of the library's version about the ABI.
#define TERRACE_OF_ABI ""

namespace terrace::threadranks::mpi {

/// Returns a type's name in this ABI.
inline const std::string& name_in_abi(const std::string& name) {
  return name;
}

/// Handles of objects that are not predefined. Two kinds of pairs have direct handles, which our
/// objects cannot use.
inline constexpr std::uint32_t kIndirect = 3u << 30;
inline constexpr int kKindShift = 26;
inline constexpr std::uint32_t kNumberMask = (1u << kKindShift) - 1;

/// MPICH's numbers of object kinds. Messages are requests there, but not here.
constexpr std::uint32_t bits_of(ObjectKind kind) {
  constexpr std::uint32_t kKinds[] = {1, 2, 3, 5, 6, 7, 11, 13, 14, 8};
  return kIndirect | kKinds[static_cast<std::size_t>(kind)] << kKindShift;
}

/// The object of a handle; null: predefined, or invalid.
template <class Object>
Object* object_of(int handle) {
  const auto bits = static_cast<std::uint32_t>(handle);
  if ((bits & ~kNumberMask) != bits_of(Object::kObjectKind)) return nullptr;
  const int number = static_cast<int>(bits & kNumberMask);
  return static_cast<Object*>(rank_of_caller().numbers().find(number, Object::kObjectKind));
}
template <class Native, class Object>
Native handle_of_object(Object& object) {
  static_assert(std::is_same_v<Native, int>);
  const auto number = static_cast<std::uint32_t>(object.number_in(rank_of_caller().numbers()));
  return static_cast<int>(bits_of(Object::kObjectKind) | number);
}

/// Predefined keys are even in Fortran, and one less in C.
inline int key_in_c(int key) {
  constexpr int kOfCommunicators = 0x64400000, kOfWindows = 0x66000000, kMost = 0xf;
  const bool is_predefined = (key > kOfCommunicators && key <= kOfCommunicators + kMost) ||
                             (key > kOfWindows && key <= kOfWindows + kMost);
  return is_predefined && key % 2 == 0 ? key - 1 : key;
}

/// Whether the handle is that of an open file, and so its address.
inline bool is_file(MPI_File handle) {
  return handle != MPI_FILE_NULL;
}

/// Null: the handle is not predefined.
Datatype* predefined_type_of(MPI_Datatype type);
/// The null handle where MPICH has none of it.
MPI_Datatype handle_of_predefined(const Datatype& type);

// 63 bits of the length, the lower 32 of them first; and one that tells of a cancelled request.
inline std::uint64_t bytes_in(const MPI_Status& status) {
  const auto low = static_cast<std::uint32_t>(status.count_lo);
  const auto high = static_cast<std::uint32_t>(status.count_hi_and_cancelled) >> 1;
  return std::uint64_t{high} << 32 | low;
}
inline bool is_cancelled(const MPI_Status& status) {
  return (status.count_hi_and_cancelled & 1) != 0;
}
inline void put(MPI_Status& status, std::uint64_t bytes, bool is_cancelled) {
  const auto high = static_cast<std::uint32_t>(bytes >> 32) << 1;
  status.count_lo = static_cast<int>(static_cast<std::uint32_t>(bytes));
  status.count_hi_and_cancelled = static_cast<int>(high | (is_cancelled ? 1u : 0u));
}
inline void put_bytes(MPI_Status& status, std::uint64_t bytes) {
  put(status, bytes, is_cancelled(status));
}
inline void put_cancelled(MPI_Status& status, bool is_cancelled) {
  put(status, bytes_in(status), is_cancelled);
}

/// This ABI has no split types with a level of their own.
inline const char* level_of_split_type(int) {
  return nullptr;
}

/// Whether it is a split type of MPICH's own which nothing here is split along.
inline bool is_split_type_without_use(int type) {
  return type == MPIX_COMM_TYPE_NEIGHBORHOOD;
}

/// Whether MPICH refuses the same address as send and receive buffer.
inline bool refuses_equal_buffers(Collective, std::size_t) {
  return true;
}

}  // namespace terrace::threadranks::mpi
