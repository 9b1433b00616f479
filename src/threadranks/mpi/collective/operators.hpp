// SPDX-License-Identifier: BSD-3-Clause
// Operators by their handles.
#pragma once

#include <optional>

#include "threadranks/mpi/adapter.hpp"
#include "threadranks/ranks/user_combiner.hpp"
#include "threadranks/types/operators.hpp"

namespace terrace::threadranks::mpi {

/// A predefined operator by its handle; nothing if it is none.
std::optional<Operator> own_operator(MPI_Op op);
UserOperator* operator_of(MPI_Op op);
/// Its function is a subroutine, which gets an integer for the type's handle.
void call_in_fortran(UserOperator& op);

/// The way elements of a type are combined.
struct Combining {
  Elements elements;
  std::optional<UserCombiner> combiner;
};
/// False: the pair is invalid, and the caller has the error.
bool find_combining(Caller& caller, const Layout& layout, MPI_Op op, Combining& combining);

}  // namespace terrace::threadranks::mpi
