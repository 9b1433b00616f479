// SPDX-License-Identifier: BSD-3-Clause
// Ends jobs, and lets a program end with a failure status when MPI_Abort is not used.
#pragma once

#include <string>

#include "preload/mpi/underlying_mpi.hpp"

namespace terrace::preload {

/// Makes the process end with status 1, whatever status its program gives; until then it runs on.
void fail_at_exit() noexcept;

/// Says that these calls do not match, and ends the job. When MPI ends (`is_ending`), no value can
/// go wrong any more, and a peer may be deep in MPI_Finalize: where a job is ended then, Open MPI
/// 4's launcher may hang or crash (27 of 120 jobs without Terrace). So this process alone fails.
void end_for_mismatch(UnderlyingMpi& underlying, bool is_ending, const std::string& calls) noexcept;

/// Ends the process at once with status 1; its launcher then ends the job.
[[noreturn]] void exit_as_failed() noexcept;

}  // namespace terrace::preload
