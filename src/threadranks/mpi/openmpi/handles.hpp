// SPDX-License-Identifier: BSD-3-Clause
// Handles and statuses of the Open MPI ABI. Handles are addresses: of predefined objects, which
// tell by their content what they are, or of our objects.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "collectives/collectives.hpp"
#include "communicators/split_by_hardware.hpp"
#include "threadranks/ranks/rank_state.hpp"
#include "threadranks/types/datatype.hpp"

/// Words of the library's version about the ABI: programs look for the words of the release that
/// they were compiled with (PETSc).
#define TERRACE_OF_ABI ", as Open MPI v3.1, Open MPI v4.0, Open MPI v4.1 and Open MPI v5.0"

namespace terrace::threadranks::mpi {

/// Returns a type's name in this ABI: two names are one type there.
inline std::string name_in_abi(const std::string& name) {
  return name == "MPI_C_FLOAT_COMPLEX" ? "MPI_C_COMPLEX" : name;
}

/// The object of a handle; null: predefined, or invalid, such as one that has been freed.
template <class Object, class Native>
Object* object_of(Native handle) {
  if (number_of(handle) != 0) return nullptr;
  auto* const object = reinterpret_cast<Object*>(handle);
  return object->is(Object::kObjectKind) ? object : nullptr;
}
template <class Native, class Object>
Native handle_of_object(Object& object) {
  return reinterpret_cast<Native>(&object);
}

/// Predefined keys are the same in Fortran.
inline int key_in_c(int key) {
  return key;
}

/// Whether the handle is that of an open file, and so its address.
inline bool is_file(MPI_File handle) {
  return number_of(handle) == 0;
}

/// Null: the handle is not predefined.
inline Datatype* predefined_type_of(MPI_Datatype type) {
  return predefined_type(number_of(type));
}
inline MPI_Datatype handle_of_predefined(const Datatype& type) {
  return predefined_handle<MPI_Datatype>(type.standard());
}

inline std::uint64_t bytes_in(const MPI_Status& status) {
  return status._ucount;
}
inline void put_bytes(MPI_Status& status, std::uint64_t bytes) {
  status._ucount = bytes;
}
inline bool is_cancelled(const MPI_Status& status) {
  return status._cancelled != 0;
}
inline void put_cancelled(MPI_Status& status, bool is_cancelled) {
  status._cancelled = is_cancelled ? 1 : 0;
}

/// Returns the level that Open MPI's own split types split along; null: another type. Boards are
/// not known here, and are taken for nodes.
inline const char* level_of_split_type(int type) {
  switch (type) {
    case OMPI_COMM_TYPE_HWTHREAD:
      return "pu";
    case OMPI_COMM_TYPE_CORE:
      return "core";
    case OMPI_COMM_TYPE_L1CACHE:
      return "l1";
    case OMPI_COMM_TYPE_L2CACHE:
      return "l2";
    case OMPI_COMM_TYPE_L3CACHE:
      return "l3";
    case OMPI_COMM_TYPE_SOCKET:
      return "package";
    case OMPI_COMM_TYPE_NUMA:
      return "numa";
    case OMPI_COMM_TYPE_BOARD:
    case OMPI_COMM_TYPE_HOST:
      return "node";
    case OMPI_COMM_TYPE_CU:
    case OMPI_COMM_TYPE_CLUSTER:
      return communicators::kWorldSet;
    default:
      return nullptr;
  }
}

/// This ABI has no split types that are not known here.
inline bool is_split_type_without_use(int) {
  return false;
}

/// Whether Open MPI refuses the same address as send and receive buffer, of that many elements.
inline bool refuses_equal_buffers(Collective collective, std::size_t count) {
  return collective == Collective::reduce || (collective == Collective::allreduce && count > 1);
}

}  // namespace terrace::threadranks::mpi
