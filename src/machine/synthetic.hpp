// SPDX-License-Identifier: BSD-3-Clause
// A machine in hwloc's synthetic notation, as `read_machine_synthetic` reads it.
#pragma once

#include <string>

#include "machine/machine.hpp"

namespace terrace {

/// "pack:1 numa:1 l3:1(size=33554432) l2:2(size=524288) core:1 pu:1". Errors: unsupported, if
/// parts of the machine differ, which these words cannot say.
Result<std::string> words_of(const Machine& machine);

}  // namespace terrace
