// SPDX-License-Identifier: BSD-3-Clause
// The adapters, one per ABI: adapter.cpp as built for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "preload/mpi/underlying_mpi.hpp"

namespace terrace::preload {

/// The adapter for the MPI of this process.
struct FoundMpi {
  bool is_early = false;  ///< before MPI_Init; nothing can be known yet
  UnderlyingMpi* adapter = nullptr;
};

/// The constants of MPI_T, which tools may use before MPI begins.
struct ToolWords {
  // Errors.
  int wrong_index = 0, wrong_handle = 0, wrong_name = 0, no_start_stop = 0;
  // Classes of variables, and other properties.
  int counter = 0, aggregate = 0, verbosity = 0, bound_to_nothing = 0;
  Handle unsigned_long_long = 0;
  std::uintptr_t all_handles = 0;
  std::size_t bytes_of_handle = 0;
};

namespace mpich {
FoundMpi look();
ToolWords tool_words();
}  // namespace mpich
namespace openmpi {
FoundMpi look();
ToolWords tool_words();
}  // namespace openmpi
namespace standard {
FoundMpi look();
ToolWords tool_words();
}  // namespace standard

/// Callbacks for what the MPI tells Terrace. The states of communicators are above this folder, so
/// this table tells them; a constant, since a library's constructor may call MPI before those of
/// this library have run.
struct CommStateEvents {
  /// A communicator's state is deleted: freed without our interception, or because MPI ends.
  void (*deleted)(CommState* attached);
  void (*mpi_ends)();
};
extern const CommStateEvents comm_state_events;  // setup/comm_states.cpp

/// Nothing where there is no underlying MPI.
std::optional<ToolWords> tool_words_below();

}  // namespace terrace::preload
