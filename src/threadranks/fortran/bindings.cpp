// SPDX-License-Identifier: BSD-3-Clause
// MPI's functions by their names in Fortran: gfortran's, in lower case with an underscore, where
// the lengths of strings follow all arguments. Each is made from the type of its function in C.
#include "threadranks/fortran/bindings.hpp"

// The loader asks the first function for the others. A tool, or the program, may replace the name
// without a P. Open MPI's library for mpi_f08 calls the last one.
#define TERRACE_NAME(symbol, Name, name) \
  extern "C"                             \
      [[gnu::visibility("default"),      \
        gnu::ifunc("terrace_find_" #name)]] terrace::fortran::Binding<&MPI_##Name>::Type symbol;
#define TERRACE_FORTRAN(Name, name)                                                \
  extern "C" terrace::fortran::Binding<&MPI_##Name>::Type* terrace_find_##name() { \
    return terrace::fortran::Binding<&MPI_##Name>::call();                         \
  }                                                                                \
  TERRACE_NAME(pmpi_##name##_, Name, name)                                         \
  TERRACE_NAME(mpi_##name##_, Name, name)                                          \
  TERRACE_NAME(ompi_##name##_f, Name, name)
/// Collectives had another name before MPI 4.0.
#define TERRACE_FORTRAN_PERSISTENT(Name, name) \
  TERRACE_FORTRAN(Name, name)                  \
  TERRACE_NAME(pmpix_##name##_, Name, name)    \
  TERRACE_NAME(mpix_##name##_, Name, name)     \
  TERRACE_NAME(ompix_##name##_f, Name, name)
#include "threadranks/fortran/names.h"

// The module mpi of Open MPI has other names for those whose result is of type(c_ptr).
TERRACE_NAME(pmpi_alloc_mem_cptr_, Alloc_mem, alloc_mem)
TERRACE_NAME(mpi_alloc_mem_cptr_, Alloc_mem, alloc_mem)
TERRACE_NAME(pmpi_win_allocate_cptr_, Win_allocate, win_allocate)
TERRACE_NAME(mpi_win_allocate_cptr_, Win_allocate, win_allocate)
TERRACE_NAME(pmpi_win_allocate_shared_cptr_, Win_allocate_shared, win_allocate_shared)
TERRACE_NAME(mpi_win_allocate_shared_cptr_, Win_allocate_shared, win_allocate_shared)
TERRACE_NAME(pmpi_win_shared_query_cptr_, Win_shared_query, win_shared_query)
TERRACE_NAME(mpi_win_shared_query_cptr_, Win_shared_query, win_shared_query)
