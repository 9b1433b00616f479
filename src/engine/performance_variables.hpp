// SPDX-License-Identifier: BSD-3-Clause
// The performance variables that MPI_T shows to tools: what is counted in every process, and under
// which names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/collectives.hpp"

namespace terrace {

/// Calls of one collective.
struct CallCounts {
  std::uint64_t run = 0;          ///< by Terrace
  std::uint64_t fallen_back = 0;  ///< made by the MPI instead
  std::uint64_t bytes = 0;        ///< of the signatures of the calls run, as this rank gave them
};

/// One variable. All of them count from the beginning on.
struct PerformanceVariable {
  enum class Counts : std::uint8_t {
    calls_run,
    calls_fallen_back,
    bytes_run,
    teams_founded,
    teams_rested
  };

  Counts counts;
  Collective collective;  ///< whose calls are counted; any, for teams
  std::string name;
  std::string description;

  /// MPI's class of the variable: an aggregate, not a counter.
  bool is_aggregate() const { return counts == Counts::bytes_run; }
};

/// All variables, in the order of their numbers. `has_underlying_mpi`: calls may fall back to an
/// MPI, and teams may be kept for reuse.
std::vector<PerformanceVariable> performance_variables(bool has_underlying_mpi);

/// Copies at most `*length` bytes of a text, its terminating null included, as MPI_T does. Sets
/// `*length` to the bytes copied, or to the bytes needed if `place` is null or `*length` is 0.
/// Either pointer may be null.
void put_string(const std::string& text, char* place, int* length);

}  // namespace terrace
