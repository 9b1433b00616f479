// SPDX-License-Identifier: BSD-3-Clause
// Bindings of the running process: the PUs that the operating system lets it use now.
#pragma once

#include "base/result.hpp"
#include "machine/pu_set.hpp"

namespace terrace {

/// The PUs that the calling thread may run on. Errors: system, if the kernel refuses; unsupported,
/// on systems without sched_getaffinity.
Result<PuSet> binding_of_this_thread();

/// The PUs that some thread of this process may run on: all together. Errors: as above.
Result<PuSet> binding_of_this_process();

}  // namespace terrace
