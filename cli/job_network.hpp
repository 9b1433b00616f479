// SPDX-License-Identifier: BSD-3-Clause
// Measures the network between the nodes of the job that this process is a rank of, with the
// messages of the job's MPI.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "launch.hpp"
#include "measure/network_probe.hpp"
#include "refusals.hpp"

namespace terrace {

struct JobNetwork {
  measure::NetworkFindings found;
  int nodes = 1;
  bool is_pretended = false;  ///< then the messages stay within nodes
  std::string library;        ///< "MPICH Version: 4.0.2", which carried them
};

/// All ranks of the job call it; it begins the MPI and ends it. Rank 0 calls `prepare`, then
/// measures for about so many seconds, and is given what it found: nothing where there are no two
/// nodes or no MPI lies beside the launcher, which it says, or where a signal came before the first
/// round had ended. The other ranks are given nothing. `library` is the MPI's; "": that of the
/// job's launcher. Throws what `prepare` throws, with the other ranks ended, and as verbs do
/// (subcommands.hpp).
std::optional<JobNetwork> measure_network_of_job(const Launch& launch, const std::string& library,
                                                 double seconds, const Verb& verb,
                                                 const std::function<void()>& prepare);

}  // namespace terrace
