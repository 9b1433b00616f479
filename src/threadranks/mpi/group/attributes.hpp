// SPDX-License-Identifier: BSD-3-Clause
// Attributes that programs attach to communicators and types, and a communicator's other settings
// by the program.
#pragma once

#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {

/// What a duplicate gets, as the keys' functions want it. Returns an error of those functions.
int copy_attributes(Communicator& from, Attributes& copies);
int copy_attributes(Datatype& from, Attributes& copies);
/// Before the object goes. The last that was set goes first.
int delete_attributes(Communicator& communicator);
int delete_attributes(Datatype& type);

/// The handle of a communicator that was made of another: errors are treated alike.
int put_new(const Communicator& old, Communicator* made, MPI_Comm* comm);

/// The greatest error class or code, which programs can add to.
int last_used_code();

}  // namespace terrace::threadranks::mpi
