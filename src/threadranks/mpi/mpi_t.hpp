// SPDX-License-Identifier: BSD-3-Clause
// What the functions of MPI_T have in common.
#pragma once

#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {

/// MPI_SUCCESS, or the error of every function but one before MPI_T is initialized.
int readiness_of_tools();

int put_count(int count, int* place);

/// Stores into an argument that may be null, as the caller does not want it.
inline void put_if_wanted(int value, int* place) {
  if (place != nullptr) *place = value;
}

int performance_variable_count();
int control_variable_count();

}  // namespace terrace::threadranks::mpi
