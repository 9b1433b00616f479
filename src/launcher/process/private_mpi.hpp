// SPDX-License-Identifier: BSD-3-Clause
// The MPI of the launcher that has started this process, opened beside the one that ranks call, and
// out of their sight: it carries messages between the processes of a job.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "launcher/process/outer_launcher.hpp"
#include "threadranks/rank_abi.h"

namespace terrace {

/// The message in which a process tells the others of itself, before anything else.
struct ProcessTold {
  int ranks = 0;
  char node[64] = "";
  char build[64] = "";          ///< an identifier
  unsigned char pus[128] = {};  ///< that it may use, a bit for each
};

class PrivateMpi {
 public:
  virtual ~PrivateMpi() = default;

  virtual int process() const = 0;
  virtual int process_count() const = 0;
  /// Tells all processes of `own`; returns what each of them tells, in their order.
  virtual std::vector<ProcessTold> tell_all(const ProcessTold& own) = 0;
  virtual const terrace_ranks_transport* transport() = 0;
  /// MPI_Abort: returns where it has failed.
  virtual void end_all(int code) = 0;
  /// MPI_Finalize.
  virtual void finish() = 0;
};

/// Opens the first of these that can be opened. Errors: system, if there is none, or if it does not
/// see the launcher's other processes.
Result<std::unique_ptr<PrivateMpi>> open_private_mpi(const OuterLauncher& launcher,
                                                     const std::vector<std::string>& paths);

}  // namespace terrace
