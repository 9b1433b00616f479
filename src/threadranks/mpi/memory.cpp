// SPDX-License-Identifier: BSD-3-Clause
// Memory that programs allocate by MPI.
#include <cstdlib>

#include "base/cache_aligned.hpp"
#include "threadranks/mpi/adapter.hpp"

namespace mpi = terrace::threadranks::mpi;

TERRACE_MPI(int, Alloc_mem, (MPI_Aint size, MPI_Info, void* place)) {
  void* memory = nullptr;
  if (size < 0 || posix_memalign(&memory, terrace::kLineBytes, static_cast<std::size_t>(size)) != 0)
    return mpi::fail("MPI_Alloc_mem", MPI_ERR_NO_MEM,
                     "no memory of " + std::to_string(size) + " bytes");
  *static_cast<void**>(place) = memory;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Free_mem, (void* memory)) {
  std::free(memory);
  return MPI_SUCCESS;
}
