// SPDX-License-Identifier: BSD-3-Clause
// What the functions of MPI have in common: how they are defined, and how they fail.
#pragma once

#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#include <string>

#include "threadranks/job.hpp"

/// A function of MPI under both of its names; tools replace the one without a P.
#define TERRACE_MPI(result, name, parameters)                            \
  extern "C" [[gnu::alias("PMPI_" #name)]] result MPI_##name parameters; \
  extern "C" result PMPI_##name parameters

namespace terrace::threadranks::mpi {

/// An error of `function`, of that class. As the communicator's error handler wants it, this
/// returns the class or ends the job.
int fail(MPI_Comm comm, const char* function, int error_class, const std::string& sentence);
/// Where no communicator is at hand.
int fail(const char* function, int error_class, const std::string& sentence);

}  // namespace terrace::threadranks::mpi
