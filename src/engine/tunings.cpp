// SPDX-License-Identifier: BSD-3-Clause
// Finds and reads tuning files.
#include "engine/tunings.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <sstream>

#include "base/own_program.hpp"
#include "base/say.hpp"
#include "base/switch.hpp"
#include "base/text_file.hpp"
#include "base/user_file.hpp"
#include "choose/tuning_text.hpp"
#include "measure/known_costs.hpp"

namespace terrace {

namespace {

namespace files = std::filesystem;

std::string own_folder() {
  Dl_info found{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &found) == 0) return "";
  files::path library = found.dli_fname;
  // A program's name may be what was typed.
  if (!library.is_absolute()) library = own_program();
  return tunings_above(library);
}

Result<Tuning> read_tuning(const std::string& path) {
  const Result<std::string> text = read_text_file(path, kMostTuningBytes);
  if (!text) return text.error();
  Result<Tuning> tuning = tuning_from_text(text.value(), "'" + path + "'");
  const std::string processor = measure::this_processor();
  if (tuning && tuning.value().processor != processor)
    return Error{ErrorCode::argument, "'" + path + "' is for another machine: \"" +
                                          tuning.value().processor + "\", and this is \"" +
                                          processor + "\""};
  return tuning;
}

/// TERRACE_TUNING, or nothing where it does not name a file.
std::string named_tuning() {
  const char* const wanted = std::getenv("TERRACE_TUNING");
  return wanted == nullptr || switch_in_environment("TERRACE_TUNING") ? "" : wanted;
}

std::optional<TuningInForce> find_tuning() {
  for (const std::string& path : tuning_paths()) {
    std::error_code error;
    if (named_tuning().empty() && !files::exists(path, error)) continue;
    Result<Tuning> tuning = read_tuning(path);
    if (tuning) return TuningInForce{path, std::move(tuning).value()};
    say_once("tuning " + tuning.error().sentence + "; not used");
  }
  return std::nullopt;
}

}  // namespace

std::string tuning_name(const std::string& processor) {
  return measure::name_for_files(processor) + ".json";
}

std::string tunings_above(const std::filesystem::path& file) {
  constexpr int kMostFolders = 5;  // PREFIX/lib/x86_64-linux-gnu/terrace/ranks
  files::path prefix = file.parent_path();
  for (int i = 0; i < kMostFolders; ++i) {
    const files::path folder = prefix / "share" / "terrace" / "tunings";
    if (std::error_code ignored; files::exists(folder, ignored)) return folder.string();
    prefix = prefix.parent_path();
  }
  return "";
}

std::vector<std::string> tuning_paths() {
  if (switch_in_environment("TERRACE_TUNING") == false) return {};
  if (std::string named = named_tuning(); !named.empty()) return {std::move(named)};
  return tuning_paths(tuning_name(measure::this_processor()));
}

std::vector<std::string> tuning_paths(const std::string& name) {
  std::vector<std::string> paths;
  if (std::string users = user_file(UserFolder::config, "tunings/" + name); !users.empty())
    paths.push_back(std::move(users));
  const char* const systems = std::getenv("XDG_CONFIG_DIRS");
  std::istringstream folders(systems != nullptr && *systems != '\0' ? systems : "/etc/xdg");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty() && folder[0] == '/') paths.push_back(folder + "/terrace/tunings/" + name);
  if (const std::string own = own_folder(); !own.empty()) paths.push_back(own + "/" + name);
  return paths;
}

const std::optional<TuningInForce>& tuning_in_force() {
  static const auto* const found = new std::optional<TuningInForce>(find_tuning());
  return *found;
}

std::vector<TunedRow> tuned_rows(const Tuning& tuning, const TeamTraits& traits,
                                 std::span<const double> signals) {
  // Nothing was timed with shared heaps, or of ranks that take turns.
  if (traits.reaches_heaps || traits.is_oversubscribed()) return {};
  const std::vector<double> seen(signals.begin(), signals.end());
  constexpr double kWhateverTheyTake = std::numeric_limits<double>::infinity();
  std::vector<std::pair<double, const TunedTeam*>> alike;
  for (const TunedTeam& team : tuning.teams) {
    if (!is_of(team, traits.ranks, traits.can_be_direct)) continue;
    if (team.signals.empty()) alike.emplace_back(kWhateverTheyTake, &team);
    if (!team.signals.empty() && measure::are_alike(team.signals, seen))
      alike.emplace_back(measure::ratio_of(team.signals, seen), &team);
  }
  std::stable_sort(alike.begin(), alike.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  std::vector<TunedRow> rows;
  for (const auto& [ratio, team] : alike)
    rows.insert(rows.end(), team->rows.begin(), team->rows.end());
  return rows;
}

}  // namespace terrace
