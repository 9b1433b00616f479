// SPDX-License-Identifier: BSD-3-Clause
// Reads the system's files.
#include "doctor/system_view.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/number.hpp"

namespace terrace {

bool SystemView::has(const std::string& path) const {
  std::error_code failure;
  return std::filesystem::exists(place_of(path), failure);
}

std::optional<std::string> SystemView::text(const std::string& path) const {
  std::ifstream file(place_of(path), std::ios::binary);
  std::ostringstream text;
  if (!file || (file.peek() != std::ifstream::traits_type::eof() && !(text << file.rdbuf())))
    return std::nullopt;
  return std::move(text).str();
}

std::string SystemView::line(const std::string& path) const {
  const std::string all = text(path).value_or("");
  return all.substr(0, all.find('\n'));
}

std::string SystemView::link(const std::string& path) const {
  std::error_code failure;
  return std::filesystem::read_symlink(place_of(path), failure).string();
}

std::vector<std::string> SystemView::names_in(const std::string& folder) const {
  std::vector<std::string> names;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(place_of(folder), failure), end;
       !failure && entry != end; entry.increment(failure))
    names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string value_after(std::string_view key, const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t first = line.find_first_not_of(" \t", key.size());
    if (first == line.npos) return "";
    return line.substr(first, line.find_last_not_of(" \t") - first + 1);
  }
  return "";
}

std::optional<std::uint64_t> limit_of(const SystemView& system, const char* row) {
  std::istringstream words(value_after(row, system.text("/proc/self/limits").value_or("")));
  std::string soft;
  words >> soft;
  return number_from_text<std::uint64_t>(soft);
}

std::optional<std::string> Mount::option(std::string_view name) const {
  std::istringstream entries(options);
  for (std::string entry; std::getline(entries, entry, ',');) {
    const std::size_t equals = std::min(entry.find('='), entry.size());
    if (std::string_view(entry).substr(0, equals) == name)
      return entry.substr(std::min(equals + 1, entry.size()));
  }
  return std::nullopt;
}

std::optional<Mount> mount_on(const SystemView& system, const std::string& folder) {
  std::optional<Mount> found;
  std::istringstream lines(system.text("/proc/self/mounts").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string device, place;
    Mount mount;
    if (words >> device >> place >> mount.type >> mount.options && place == folder) found = mount;
  }
  return found;
}

}  // namespace terrace
