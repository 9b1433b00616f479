// SPDX-License-Identifier: BSD-3-Clause
// What tests of performance variables share. They define EXPECT before including it.
#pragma once
#include <mpi.h>
#include <string.h>

static inline int class_of(const char* name) {
  return strstr(name, "bytes") != NULL ? MPI_T_PVAR_CLASS_AGGREGATE : MPI_T_PVAR_CLASS_COUNTER;
}

static inline MPI_T_pvar_handle handle_of(MPI_T_pvar_session session, const char* name) {
  int index = -1, count = 0;
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  EXPECT(MPI_T_pvar_get_index(name, class_of(name), &index) == MPI_SUCCESS);
  EXPECT(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count) == MPI_SUCCESS);
  EXPECT(count == 1 && handle != MPI_T_PVAR_HANDLE_NULL);
  return handle;
}

static inline unsigned long long value_of(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  unsigned long long value = ~0ull;
  EXPECT(MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS);
  return value;
}
