// SPDX-License-Identifier: BSD-3-Clause
// Converts the settings to one line and back: "ranks=4 stack=8388608 labels=0 workers=0,1
// bind=0-1;2-3".
#include "launcher/process/settings.hpp"

#include <limits>
#include <optional>
#include <sstream>
#include <utility>

#include "base/number.hpp"

namespace terrace {

std::string to_text(const LaunchSettings& settings) {
  std::string text = "ranks=" + std::to_string(settings.ranks) +
                     " stack=" + std::to_string(settings.stack_bytes) +
                     " labels=" + (settings.labels ? "1" : "0");
  if (settings.library_local_bytes != kLibraryLocalBytes)
    text += " library_locals=" + std::to_string(settings.library_local_bytes);
  for (std::size_t i = 0; i < settings.workers.size(); ++i)
    text += (i == 0 ? " workers=" : ",") + std::to_string(settings.workers[i]);
  if (settings.tells_obstacle) text += " tells_obstacle=1";
  for (std::size_t i = 0; i < settings.bindings.size(); ++i)
    text += (i == 0 ? " bind=" : ";") + to_text(settings.bindings[i]);
  return text;
}

namespace {

Error misread(const std::string& word) {
  return {ErrorCode::argument,
          std::string(kSettingsVariable) + " holds '" + word + "'; only `terrace run` sets it"};
}

Result<std::vector<PuSet>> bindings_from(const std::string& text) {
  std::vector<PuSet> bindings;
  std::istringstream sets(text);
  for (std::string set; std::getline(sets, set, ';');) {
    auto pus = pu_set_from_text(set);
    if (!pus) return pus.error();
    bindings.push_back(std::move(pus).value());
  }
  return bindings;
}

std::optional<std::vector<int>> workers_from(const std::string& text) {
  std::vector<int> workers;
  std::istringstream pus(text);
  for (std::string pu; std::getline(pus, pu, ',');) {
    const auto number = number_from_text<int>(pu, -1, std::numeric_limits<int>::max());
    if (!number) return std::nullopt;
    workers.push_back(*number);
  }
  return workers;
}

}  // namespace

Result<LaunchSettings> launch_settings_from_text(const std::string& text) {
  constexpr int kMostRanks = 1 << 20;
  LaunchSettings settings;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equals = std::min(word.find('='), word.size() - 1);
    const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
    if (name == "ranks") {
      const auto ranks = number_from_text<int>(value, 1, kMostRanks);
      if (!ranks) return misread(word);
      settings.ranks = *ranks;
    } else if (name == "stack") {
      const auto bytes = number_from_text<std::size_t>(value);
      if (!bytes) return misread(word);
      settings.stack_bytes = *bytes;
    } else if (name == "library_locals") {
      const auto bytes = number_from_text<std::size_t>(value);
      if (!bytes) return misread(word);
      settings.library_local_bytes = *bytes;
    } else if (name == "labels") {
      settings.labels = value == "1";
    } else if (name == "workers") {
      auto workers = workers_from(value);
      if (!workers) return misread(word);
      settings.workers = std::move(*workers);
    } else if (name == "tells_obstacle") {
      settings.tells_obstacle = value == "1";
    } else if (name == "bind") {
      auto bindings = bindings_from(value);
      if (!bindings) return misread(word);
      settings.bindings = std::move(bindings).value();
    } else {
      return misread(word);
    }
  }
  return settings;
}

}  // namespace terrace
