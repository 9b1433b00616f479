// SPDX-License-Identifier: BSD-3-Clause
// How functions fail, and what error codes mean.
#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {

int fail(MPI_Comm, const char* function, int error_class, const std::string& sentence) {
  const RankState& rank = rank_of_caller();
  rank.end_job(error_class,
               "rank " + std::to_string(rank.rank()) + ", " + function + ": " + sentence);
}

int fail(const char* function, int error_class, const std::string& sentence) {
  return fail(MPI_COMM_WORLD, function, error_class, sentence);
}

}  // namespace terrace::threadranks::mpi
