// SPDX-License-Identifier: BSD-3-Clause
// The tool information interface, which is empty: no variables, no categories, no events. Functions
// that take one of these report that they are not supported (missing.cpp).
#include "threadranks/mpi/adapter.hpp"

TERRACE_MPI(int, T_init_thread, (int required, int* provided)) {
  *provided = required;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, T_finalize, (void)) {
  return MPI_SUCCESS;
}

#define TERRACE_NONE(name)                  \
  TERRACE_MPI(int, name, (int* how_many)) { \
    *how_many = 0;                          \
    return MPI_SUCCESS;                     \
  }
TERRACE_NONE(T_cvar_get_num)
TERRACE_NONE(T_pvar_get_num)
TERRACE_NONE(T_category_get_num)
TERRACE_NONE(T_event_get_num)
TERRACE_NONE(T_source_get_num)
#undef TERRACE_NONE
