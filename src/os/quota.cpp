// SPDX-License-Identifier: BSD-3-Clause
// Reads cpu.max and memory.max (cgroup v2), cpu.cfs_quota_us with cpu.cfs_period_us and
// memory.limit_in_bytes (v1), from this process's group outwards: the tightest limit holds.
#include "os/quota.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

namespace terrace {
namespace {

/// The groups from /a/b/c outwards: "/a/b/c", "/a/b", "/a", "". Inside a container the path may be
/// that of the host and not exist; the outermost is then the container's own group.
std::vector<std::string> outwards(std::string group) {
  std::vector<std::string> groups;
  while (!group.empty() && group.back() == '/') group.pop_back();
  while (!group.empty()) {
    groups.push_back(group);
    group.resize(std::min(group.rfind('/'), group.size() - 1));
  }
  groups.emplace_back();
  return groups;
}

void tighten(Quota& quota, double microseconds, double period, const std::string& file) {
  if (microseconds <= 0 || period <= 0 || microseconds / period >= quota.pus) return;
  quota = {microseconds / period, file};
}

/// "max 100000", or "150000 100000" for one and a half PUs.
void tighten_v2(Quota& quota, const std::string& directory) {
  const std::string file = directory + "/cpu.max";
  std::ifstream stream(file);
  double microseconds = 0, period = 0;
  if (stream >> microseconds >> period) tighten(quota, microseconds, period, file);
}

void tighten_v1(Quota& quota, const std::string& directory) {
  const std::string file = directory + "/cpu.cfs_quota_us";
  std::ifstream limit(file), every(directory + "/cpu.cfs_period_us");
  double microseconds = 0, period = 0;  // a limit of -1 is none
  if (limit >> microseconds && every >> period) tighten(quota, microseconds, period, file);
}

/// Limits that are not set are this large in v1.
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 60;

void add_limit(std::vector<MemoryLimit>& limits, const std::string& file,
               const std::string& usage) {
  MemoryLimit limit{0, 0, file};
  std::ifstream most(file), used(usage);
  if (!(most >> limit.limit) || limit.limit >= kNoLimit) return;  // "max" is no number
  used >> limit.used;
  limits.push_back(limit);
}

bool lists(const std::string& controllers, const std::string& wanted) {
  std::istringstream stream(controllers);
  for (std::string controller; std::getline(stream, controller, ',');)
    if (controller == wanted) return true;
  return false;
}

/// Calls `use` with the controllers and the path of each group in which this process has, or in v2
/// may have, that controller. V2 names none.
template <class Use>
void for_memberships(const CgroupFiles& files, const std::string& controller, Use use) {
  std::ifstream membership(files.membership);
  for (std::string line; std::getline(membership, line);) {  // "4:cpu,cpuacct:/job" or "0::/job"
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controllers.empty() || lists(controllers, controller))
      use(controllers, line.substr(second + 1));
  }
}

/// Calls `v1` and `v2` with the folders of those groups, and of the groups around them.
template <class V1, class V2>
void for_groups(const CgroupFiles& files, const std::string& controller, V1 v1, V2 v2) {
  for_memberships(files, controller, [&](const std::string& controllers, const std::string& path) {
    for (const std::string& group : outwards(path))
      if (controllers.empty()) {
        for (const char* mount : {"", "/unified"}) v2(files.mount + mount + group);
      } else {
        for (const std::string& mount : {controller, controllers})
          v1(files.mount + '/' + mount + group);
      }
  });
}

}  // namespace

Quota cpu_quota(const CgroupFiles& files) {
  Quota quota;
  for_groups(
      files, "cpu", [&](const std::string& folder) { tighten_v1(quota, folder); },
      [&](const std::string& folder) { tighten_v2(quota, folder); });
  return quota;
}

std::vector<MemoryLimit> memory_limits(const CgroupFiles& files) {
  std::vector<MemoryLimit> limits;
  for_groups(
      files, "memory",
      [&](const std::string& folder) {
        add_limit(limits, folder + "/memory.limit_in_bytes", folder + "/memory.usage_in_bytes");
      },
      [&](const std::string& folder) {
        add_limit(limits, folder + "/memory.max", folder + "/memory.current");
      });
  return limits;
}

std::string cpu_groups(const CgroupFiles& files) {
  std::string groups;
  for_memberships(files, "cpu", [&](const std::string& controllers, const std::string& path) {
    groups += controllers + ":" + path + "\n";
  });
  return groups;
}

std::uint32_t usable_pus(std::uint32_t bound_pus, const Quota& quota) {
  const double most = std::min(static_cast<double>(bound_pus), quota.pus);
  return std::max(1u, static_cast<std::uint32_t>(most));
}

}  // namespace terrace
