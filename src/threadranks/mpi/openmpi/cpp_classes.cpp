// SPDX-License-Identifier: BSD-3-Clause
// What Open MPI's library of C++ classes (libmpi_cxx.so.40), which its C++ compiler links to every
// program, needs from the inside of its MPI. Classes work as far as they call MPI's functions.
#include "threadranks/mpi/adapter.hpp"

namespace mpi = terrace::threadranks::mpi;

#pragma GCC visibility push(default)

extern "C" {

/// Codes of Open MPI's own errors, which are negative: there are none.
int ompi_errcode_intern_lastused = 0;
char ompi_errcodes_intern[120];
char ompi_registered_datareps[64];

#define TERRACE_OF_CPP(name, what)                                                         \
  int name() {                                                                             \
    return mpi::fail(#name, MPI_ERR_UNSUPPORTED_OPERATION,                                 \
                     "thread ranks do not call " what                                      \
                     " that a program has given to MPI by its C++ classes, which MPI 3.0 " \
                     "removed; run it as processes: mpirun -n N terrace exec PROGRAM");    \
  }
TERRACE_OF_CPP(ompi_attr_create_keyval, "functions of attributes")
TERRACE_OF_CPP(ompi_errhandler_create, "error handlers")
TERRACE_OF_CPP(ompi_errhandler_invoke, "error handlers")
TERRACE_OF_CPP(ompi_op_set_cxx_callback, "operators")

}  // extern "C"

#pragma GCC visibility pop
