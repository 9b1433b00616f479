// SPDX-License-Identifier: BSD-3-Clause
// The table of hwloc's types and Terrace's levels.
#include "communicators/names.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "hierarchy/hierarchy.hpp"

namespace terrace::communicators {
namespace {

constexpr std::string_view kProvider = "hwloc://";

struct Row {
  const char* level;
  const char* type;
  const char* other_name = "";  ///< that hwloc accepts as well
};

constexpr Row kRows[] = {
    {kJobLevel, kCluster},
    {"node", "Machine"},
    {"package", "Package", "Socket"},
    {"die", "Die"},
    {"group", "Group"},
    {"numa", "NUMANode", "NUMA"},
    {"l5", "L5Cache", "L5"},
    {"l4", "L4Cache", "L4"},
    {"l3", "L3Cache", "L3"},
    {"l2", "L2Cache", "L2"},
    {"l1", "L1Cache", "L1"},
    {"core", "Core"},
    {"pu", "PU"},
};

struct Alias {
  const char* name;
  const char* level;
};

/// MPICH's, and Open MPI's last two.
constexpr Alias kAliases[] = {
    {"cpu", "package"}, {"hwthread", "pu"}, {"l1dcache", "l1"}, {"l1ucache", "l1"},
    {"l2dcache", "l2"}, {"l2ucache", "l2"}, {"l3dcache", "l3"}, {"l3ucache", "l3"},
    {"host", "node"},   {"board", "node"},
};

constexpr std::string_view kMpisNames[] = {"bindset", "ddr", "hbm"};
constexpr std::string_view kMpisPrefixes[] = {"pci:", "gpu", "hfi", "ib", "eth", "en"};

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

}  // namespace

std::string type_of(std::string_view level) {
  for (const Row& row : kRows)
    if (level == row.level) return row.type;
  std::string type(level);
  const bool is_uri = type.find("://") != std::string::npos;
  if (!type.empty() && !is_uri)
    type[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(type[0])));
  return type;
}

std::string uri_of(std::string_view level) {
  const bool is_hwlocs = std::any_of(std::begin(kRows) + 1, std::end(kRows),
                                     [&](const Row& row) { return level == row.level; });
  return (is_hwlocs ? std::string(kProvider) : "") + type_of(level);
}

std::string level_of(std::string_view type) {
  const bool is_uri = type.starts_with(kProvider);
  if (is_uri) type.remove_prefix(kProvider.size());
  const std::string wanted = lower(type);
  for (const Row& row : kRows)
    if (wanted == lower(row.type) || (*row.other_name && wanted == lower(row.other_name)))
      return row.level;
  return is_uri ? "" : wanted;
}

std::string level_of_mpis_name(std::string_view name) {
  const std::string level = level_of(name);
  for (const Alias& alias : kAliases)
    if (level == alias.name) return alias.level;
  return level;
}

bool is_mpis_own(std::string_view name) {
  return std::find(std::begin(kMpisNames), std::end(kMpisNames), name) != std::end(kMpisNames) ||
         std::any_of(std::begin(kMpisPrefixes), std::end(kMpisPrefixes),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace terrace::communicators
