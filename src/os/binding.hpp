// SPDX-License-Identifier: BSD-3-Clause
// Bindings of processes and threads: finds the PUs that they may run on, and binds a thread.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "os/pu_set.hpp"

namespace terrace {

/// The PUs that the calling thread may run on. Errors: system, if the kernel refuses; unsupported,
/// on systems without sched_getaffinity.
Result<PuSet> binding_of_this_thread();

/// The PUs that some thread of this process may run on: all together. Errors: as above.
Result<PuSet> binding_of_this_process();

/// The PUs that the first thread of another process may run on, which in most programs calls MPI.
/// Errors: as above; also system, if there is no such process.
Result<PuSet> binding_of_process(std::int64_t number);

/// Binds the calling thread to those of these PUs that it may use. Errors: system, if it may use
/// none; unsupported, on systems without sched_setaffinity.
Result<bool> bind_this_thread(const PuSet&);

}  // namespace terrace
