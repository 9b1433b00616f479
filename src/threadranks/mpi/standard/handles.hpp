// SPDX-License-Identifier: BSD-3-Clause
// Handles and statuses of the ABI of MPI 5.0. Predefined handles are numbers, others are addresses.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "collectives/collectives.hpp"
#include "threadranks/types/datatype.hpp"

/// Words of the library's version about the ABI.
#define TERRACE_OF_ABI ""

namespace terrace::threadranks::mpi {

/// Returns a type's name in this ABI.
inline const std::string& name_in_abi(const std::string& name) {
  return name;
}

/// Handles up to this value are numbers of predefined objects; above, they are addresses of our
/// objects.
inline constexpr std::uintptr_t kLastNumber = 0xfff;

template <class Native>
std::uintptr_t number_of(Native handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

/// The object of a handle; null: predefined, or invalid, such as one that has been freed.
template <class Object, class Native>
Object* object_of(Native handle) {
  if (number_of(handle) <= kLastNumber) return nullptr;
  auto* const object = reinterpret_cast<Object*>(handle);
  return object->is(Object::kObjectKind) ? object : nullptr;
}
template <class Native, class Object>
Native handle_of_object(Object& object) {
  return reinterpret_cast<Native>(&object);
}

/// Whether the handle is that of an open file, and so its address.
inline bool is_file(MPI_File handle) {
  return number_of(handle) > kLastNumber;
}

/// Null: the handle is not predefined.
inline Datatype* predefined_type_of(MPI_Datatype type) {
  return predefined_type(number_of(type));
}
inline MPI_Datatype handle_of_predefined(const Datatype& type) {
  return reinterpret_cast<MPI_Datatype>(type.standard());
}

inline std::uint64_t bytes_in(const MPI_Status& status) {
  std::uint64_t bytes;
  std::memcpy(&bytes, &status.MPI_internal[0], sizeof bytes);
  return bytes;
}
inline void put_bytes(MPI_Status& status, std::uint64_t bytes) {
  std::memcpy(&status.MPI_internal[0], &bytes, sizeof bytes);
}
inline bool is_cancelled(const MPI_Status& status) {
  return status.MPI_internal[2] != 0;
}
inline void put_cancelled(MPI_Status& status, bool is_cancelled) {
  status.MPI_internal[2] = is_cancelled;
}

/// This ABI has no split types with a level of their own.
inline const char* level_of_split_type(int) {
  return nullptr;
}

/// This ABI has no split types that are not known here.
inline bool is_split_type_without_use(int) {
  return false;
}

/// Whether MPICH refuses the same address as send and receive buffer.
inline bool refuses_equal_buffers(Collective, std::size_t) {
  return true;
}

}  // namespace terrace::threadranks::mpi
