// SPDX-License-Identifier: BSD-3-Clause
// Generalized requests of programs in Fortran.
#pragma once

#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {

/// From now on, calls the functions of a generalized request as Fortran's.
void call_in_fortran(MPI_Request request);

}  // namespace terrace::threadranks::mpi
