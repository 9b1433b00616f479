// SPDX-License-Identifier: BSD-3-Clause
// A machine as lines of text, by which one process hands it to another: all of it but its origin.
#pragma once

#include <optional>
#include <string>

#include "machine/machine.hpp"

namespace terrace {

std::string lines_of(const Machine& machine);

/// Reads lines of `lines_of`. Nothing: they are none, or of a machine that is no tree, with parts
/// that overlap, or PUs of no part.
std::optional<Machine> machine_from_lines(const std::string& lines);

}  // namespace terrace
