// SPDX-License-Identifier: BSD-3-Clause
// Functions of MPI 1 that MPI 3.0 removed, for old programs.
#include "threadranks/mpi/adapter.hpp"

#pragma GCC visibility push(default)

TERRACE_MPI(int, Address, (const void* place, MPI_Aint* address)) {
  return PMPI_Get_address(place, address);
}
TERRACE_MPI(int, Type_extent, (MPI_Datatype type, MPI_Aint* extent)) {
  MPI_Aint lower = 0;
  return PMPI_Type_get_extent(type, &lower, extent);
}
TERRACE_MPI(int, Type_lb, (MPI_Datatype type, MPI_Aint* lower)) {
  MPI_Aint extent = 0;
  return PMPI_Type_get_extent(type, lower, &extent);
}
TERRACE_MPI(int, Type_ub, (MPI_Datatype type, MPI_Aint* upper)) {
  MPI_Aint lower = 0, extent = 0;
  const int error = PMPI_Type_get_extent(type, &lower, &extent);
  if (!error) *upper = lower + extent;
  return error;
}
TERRACE_MPI(int, Type_hvector,
            (int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype* made)) {
  return PMPI_Type_create_hvector(count, length, stride, old, made);
}
TERRACE_MPI(int, Type_hindexed,
            (int count, const int* lengths, const MPI_Aint* places, MPI_Datatype old,
             MPI_Datatype* made)) {
  return PMPI_Type_create_hindexed(count, lengths, places, old, made);
}
TERRACE_MPI(int, Type_struct,
            (int count, const int* lengths, const MPI_Aint* places, const MPI_Datatype* types,
             MPI_Datatype* made)) {
  return PMPI_Type_create_struct(count, lengths, places, types, made);
}
TERRACE_MPI(int, Errhandler_create,
            (MPI_Comm_errhandler_function * function, MPI_Errhandler* handler)) {
  return PMPI_Comm_create_errhandler(function, handler);
}
TERRACE_MPI(int, Errhandler_set, (MPI_Comm comm, MPI_Errhandler handler)) {
  return PMPI_Comm_set_errhandler(comm, handler);
}
TERRACE_MPI(int, Errhandler_get, (MPI_Comm comm, MPI_Errhandler* handler)) {
  return PMPI_Comm_get_errhandler(comm, handler);
}

#pragma GCC visibility pop
