// SPDX-License-Identifier: BSD-3-Clause
// Lets a program end with a failure status when MPI_Abort is not used.
#pragma once

namespace terrace::preload {

/// Makes the process end with status 1, whatever status its program gives; until then it runs on.
void fail_at_exit() noexcept;

/// Ends the process at once with status 1; its launcher then ends the job.
[[noreturn]] void exit_as_failed() noexcept;

}  // namespace terrace::preload
