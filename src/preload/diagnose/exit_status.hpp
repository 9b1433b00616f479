// SPDX-License-Identifier: BSD-3-Clause
// Lets a program end with a failure status when MPI_Abort is not used.
#pragma once

namespace terrace::preload {

/// The process ends with status 1, whatever its program says: it may do what it likes until then.
void fail_at_exit() noexcept;

/// The process ends here and now, with status 1; its launcher ends the job.
[[noreturn]] void exit_as_failed() noexcept;

}  // namespace terrace::preload
