// SPDX-License-Identifier: BSD-3-Clause
// The cores of this machine and the date, for subcommands that measure.
#pragma once

#include <string>
#include <vector>

#include "machine/machine.hpp"
#include "measure/survey.hpp"

namespace terrace {

/// The cores that this process may use, each by the first of its PUs. Errors: system.
Result<std::vector<measure::CoreAt>> usable_cores(const Machine& machine);

/// Returns the cores of a process that may use these PUs.
std::vector<measure::CoreAt> usable_cores_of(const Machine& machine, const PuSet& usable);

/// "2026-11-23", by universal time.
std::string today();

}  // namespace terrace
