// SPDX-License-Identifier: BSD-3-Clause
// What the functions of MPI_T have in common.
#pragma once

#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {

/// MPI_SUCCESS, or the error of every function but one before MPI_T is initialized.
int readiness_of_tools();

}  // namespace terrace::threadranks::mpi
