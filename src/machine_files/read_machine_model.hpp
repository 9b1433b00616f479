// SPDX-License-Identifier: BSD-3-Clause
// Reads a MachineModel from a file. Each number in it is an object of value, unit and source, so
// that a reader can check what a prediction rests on (docs/reference/machine-files.md).
#pragma once

#include <string>
#include <vector>

#include "base/rank.hpp"
#include "machine/machine.hpp"
#include "model/machine_model.hpp"

namespace terrace::model {

/// No file written by hand is longer.
inline constexpr std::size_t kMostModelBytes = std::size_t{1} << 20;

/// Value of `format` in a file; optional, since files were written without it.
inline constexpr const char* kMachineFormat = "terrace machine 1";

/// Errors: argument, with `origin` and line and column of what is no JSON, or the key of what
/// is missing, unknown, of the wrong kind or out of bounds.
Result<MachineModel> machine_model_from_text(const std::string& text, const std::string& origin);

/// The name of the machine that `terrace measure` has measured for this user.
inline constexpr const char* kThisMachine = "this-machine";

/// Its file, by XDG_CONFIG_HOME or HOME; "" where neither is set.
std::string this_machine_path();

/// A file if the text has a '/' or ends in ".json", `kThisMachine`, or a name among those that were
/// installed. Errors: argument.
Result<MachineModel> read_machine_model(const std::string& path_or_name);

/// The names that `read_machine_model` knows, in order.
std::vector<std::string> machine_model_names();

/// One node of the machine. Errors: argument, where the file's words were altered since.
Result<Machine> machine_of(const MachineModel& model);

/// Whether a machine file may say this number with this unit ("ns/line"): within bounds that no
/// machine reaches, but a measurement on a busy one can.
bool is_possible(double value, std::string_view unit);

/// Places ranks that are each bound to a core, switches included: evenly on as few nodes as have
/// room, or as `nodes` says (as TERRACE_NODES does, machine/pretend.hpp). Errors: argument, where
/// there are more ranks than cores.
Result<std::vector<Locality>> localities_on(const MachineModel& model, Rank ranks,
                                            const std::string& nodes = "");

}  // namespace terrace::model
