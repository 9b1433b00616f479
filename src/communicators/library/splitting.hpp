// SPDX-License-Identifier: BSD-3-Clause
// The calls of <terrace/mpix.h>, for every ABI. Each begins with one exchange of records, in which
// all ranks also learn of each other's errors, so that all return together.
#pragma once

#include <string>
#include <vector>

#include "communicators/library/mpi.hpp"
#include "communicators/split_by_hardware.hpp"

namespace terrace::communicators {

/// A communicator of one level, and that of the roots; null handles where there is none.
struct Made {
  Handle newcomm = 0;
  Handle roots = 0;
  std::string type;  ///< of `newcomm`; "" if it is null
  std::string uri;   ///< the same, as a value of mpi_hw_resource_type
};

/// A call's arguments.
struct Arguments {
  const char* call = "";  ///< its name, for messages
  Handle comm = 0;
  Handle info = 0;
  SplitWish wish;
};

/// Functions return an MPI error code, after the error handler was called.

int split_type(Mpi& mpi, Arguments arguments, Handle& newcomm);
int split_with_roots(Mpi& mpi, Arguments arguments, Made& made);
/// Splits level after level, as deep as this rank goes, but no deeper than any rank has room for.
int split_all(Mpi& mpi, Arguments arguments, std::vector<Made>& levels);

/// The places of the members: known from the last split, else by asking all ranks, which makes the
/// call collective.
int members_of(Mpi& mpi, const char* call, Handle comm, std::shared_ptr<const Members>& members);

/// Reports the error, and raises it on the communicator.
int fail(Mpi& mpi, Handle comm, const char* call, Failure failure, const std::string& sentence);

}  // namespace terrace::communicators
