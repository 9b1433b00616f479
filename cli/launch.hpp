// SPDX-License-Identifier: BSD-3-Clause
// Finds out which rank of a job this process is.
#pragma once

#include "base/rank.hpp"

namespace terrace {

/// This rank, as its launcher describes it.
struct Launch {
  Rank rank = 0;
  Rank ranks = 1;
  bool is_launched = false;
};

/// Reads the launch from the variables of Open MPI's mpirun, MPICH's and Intel's, and Slurm's srun.
Launch launch_of_this_rank();

}  // namespace terrace
