// SPDX-License-Identifier: BSD-3-Clause
// Where the ranks of a job on several nodes are, by the job's own messages.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/locality.hpp"
#include "machine/machine.hpp"
#include "refusals.hpp"

namespace terrace {

/// Places and hosts by rank. Nodes are numbered as they come among the ranks.
struct RanksOverNodes {
  std::vector<Locality> localities;
  std::vector<std::string> hosts;
};

/// All ranks of the job call it and tell rank 0 by the MPI in `library` how they are bound on their
/// nodes; the others get nothing. Throws as verbs do (subcommands.hpp).
std::optional<RanksOverNodes> ranks_over_nodes(const Machine& machine, const std::string& library,
                                               const Verb& verb);

}  // namespace terrace
