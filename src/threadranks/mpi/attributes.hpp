// SPDX-License-Identifier: BSD-3-Clause
// Attributes that programs attach to communicators.
#pragma once

#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {

/// To a duplicate, as the keys' functions want it. Returns an error of theirs.
int copy_attributes(Communicator& from, Communicator& to);
/// Before a communicator goes.
int delete_attributes(Communicator& communicator);
/// Lets go of the error handler, too.
void release_errhandler(Communicator& communicator);
void copy_errhandler(const Communicator& from, Communicator& to);

}  // namespace terrace::threadranks::mpi
