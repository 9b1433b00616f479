// SPDX-License-Identifier: BSD-3-Clause
// Sends messages by the MPI that a job was started by, for the command, which is linked to none:
// loads the MPI's library when it is needed, and finds out its ABI.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/messages.hpp"

namespace terrace::messages {

/// Between MPI_Init and `end`, over MPI_COMM_WORLD.
class JobMessages : public measure::MessageExchange {
 public:
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual std::string library() const = 0;  ///< "MPICH Version: 4.0.2"
  /// For each rank, the first rank that shares memory with it. All ranks call it.
  virtual std::vector<int> first_on_nodes() = 0;
  /// MPI_Finalize, which all ranks call; nothing may follow.
  virtual void end() = 0;
};

/// Loads an MPI's library and calls MPI_Init. A rank ends the job if it still waits for a message
/// some seconds after `is_stopped` became true, since the sender may have died. Errors: argument,
/// if the library cannot be loaded or is no MPI that we know.
Result<std::unique_ptr<JobMessages>> begin_messages(const std::string& library,
                                                    const std::atomic<bool>& is_stopped);

// The adapters: adapter.cpp as built for each ABI. Null if functions are missing.
namespace mpich {
std::unique_ptr<JobMessages> adapter(const std::atomic<bool>& is_stopped);
}
namespace openmpi {
std::unique_ptr<JobMessages> adapter(const std::atomic<bool>& is_stopped);
}
namespace standard {
std::unique_ptr<JobMessages> adapter(const std::atomic<bool>& is_stopped);
}

}  // namespace terrace::messages
