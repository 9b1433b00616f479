// SPDX-License-Identifier: BSD-3-Clause
// The performance variables that MPI_T tells tools of: what is counted in every process, and by
// which names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/collectives.hpp"

namespace terrace {

/// Calls of one collective.
struct CallCounts {
  std::uint64_t run = 0;     ///< by Terrace
  std::uint64_t handed = 0;  ///< to the MPI
  std::uint64_t bytes = 0;   ///< of the signatures of those that were run, as this rank gave them
};

/// One variable. All of them count from the beginning on and only grow.
struct PerformanceVariable {
  enum class Counts : std::uint8_t {
    calls_run,
    calls_handed,
    bytes_run,
    teams_founded,
    teams_rested
  };

  Counts counts;
  Collective collective;  ///< whose calls are counted; of teams, any
  std::string name;
  std::string description;

  /// Of MPI's classes: an aggregate, not a counter.
  bool is_aggregate() const { return counts == Counts::bytes_run; }
};

/// All of them, in the order of their numbers. `has_underlying_mpi`: some calls are handed to an
/// MPI, and teams may rest.
std::vector<PerformanceVariable> performance_variables(bool has_underlying_mpi);

/// A text as MPI_T hands it out: as much of it as `*length`, with the zero at its end, has room
/// for.
/// `*length` becomes what is written; what would be, if `place` is null or has no room. Either
/// pointer may be null.
void put_string(const std::string& text, char* place, int* length);

}  // namespace terrace
