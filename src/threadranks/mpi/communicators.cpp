// SPDX-License-Identifier: BSD-3-Clause
// Communicators: who is in them, making and freeing them.
#include "threadranks/mpi/adapter.hpp"

namespace mpi = terrace::threadranks::mpi;

TERRACE_MPI(int, Comm_rank, (MPI_Comm comm, int* rank)) {
  mpi::Caller caller("MPI_Comm_rank", comm);
  if (!caller.error()) *rank = caller.communicator().rank();
  return caller.error();
}

TERRACE_MPI(int, Comm_size, (MPI_Comm comm, int* size)) {
  mpi::Caller caller("MPI_Comm_size", comm);
  if (!caller.error()) *size = caller.communicator().size();
  return caller.error();
}
