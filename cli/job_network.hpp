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

/// All ranks of the job call it; it initializes the MPI and finalizes it. Rank 0 calls `prepare`,
/// then measures for about the given number of seconds and returns what it found, or nothing, with
/// a message, if there are fewer than two nodes, no MPI lies beside the launcher, or a signal
/// arrived before the end of the first round. The other ranks get nothing. `library` is the MPI's
/// library; "": that of the job's launcher. Throws what `prepare` throws, after ending the other
/// ranks, and as subcommands do (subcommands.hpp).
std::optional<JobNetwork> measure_network_of_job(const Launch& launch, const std::string& library,
                                                 double seconds, const Verb& verb,
                                                 const std::function<void()>& prepare);

}  // namespace terrace
