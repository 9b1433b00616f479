// SPDX-License-Identifier: BSD-3-Clause
// What an MPI's launcher tells a process of `terrace run` that it has started, by environment
// variables: that there are others, with which it forms one job.
#pragma once

#include <string>
#include <vector>

namespace terrace {

struct OuterLauncher {
  int processes = 1;                        ///< that it has started; 1 also if there is no launcher
  int processes_here = 1, number_here = 0;  ///< on this node, as far as it tells
  bool is_open_mpi = false;                 ///< or one that tells as Open MPI's does
};

/// Reads the launcher from this process's variables. With TERRACE_ACROSS_NODES=0 each process is a
/// job of its own.
OuterLauncher outer_launcher();

/// Lists where the MPI of that launcher may be, in the order in which to look: `over` names a
/// library, or a folder of an installation, and then is the only one.
std::vector<std::string> mpi_candidates(const OuterLauncher& launcher, const std::string& over);

}  // namespace terrace
