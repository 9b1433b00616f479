// SPDX-License-Identifier: BSD-3-Clause
// Finds the tuning in force: the file that TERRACE_TUNING names, or the first for this kind of
// machine in the user's, the system's and Terrace's own folder.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "choose/tuning.hpp"

namespace terrace {

/// "authenticamd-25-1-amd-epyc-2-processors.json", by the words of measure::this_processor: one
/// file for each kind of machine, so that many kinds may share a home.
std::string tuning_name(const std::string& processor);

/// Lists the files in which a tuning of that name is looked for, in order: XDG_CONFIG_HOME,
/// XDG_CONFIG_DIRS, and beside this library.
std::vector<std::string> tuning_paths(const std::string& name);
/// The folder of tunings of the installation that has this library or program, however deep below
/// it, as in PREFIX/lib/x86_64-linux-gnu; "": it has none.
std::string tunings_above(const std::filesystem::path& file);
/// Lists the files for programs with this environment: only the one that TERRACE_TUNING names, none
/// where it is off.
std::vector<std::string> tuning_paths();

struct TuningInForce {
  std::string path;
  Tuning tuning;
};

/// Looked for when first asked for. A file that cannot be read, is damaged or is of other machines
/// is complained about, and the next one counts.
const std::optional<TuningInForce>& tuning_in_force();

/// Selects the rows that apply to teams like this one, whose ranks have cores of their own: first
/// those of teams with the nearest signals. Signals: nanoseconds, from near to far.
std::vector<TunedRow> tuned_rows(const Tuning& tuning, const TeamTraits& traits,
                                 std::span<const double> signals);

}  // namespace terrace
