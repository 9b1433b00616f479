// SPDX-License-Identifier: BSD-3-Clause
// A machine as lines of text, by which one process hands it to another: all of it but its origin.
#pragma once

#include <optional>
#include <string>

#include "machine/machine.hpp"

namespace terrace {

std::string lines_of(const Machine& machine);

/// Nothing, if the lines are none of `lines_of`, or of a machine that is no tree: parts that
/// overlap, PUs of no part.
std::optional<Machine> machine_from_lines(const std::string& lines);

}  // namespace terrace
