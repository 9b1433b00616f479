// SPDX-License-Identifier: BSD-3-Clause
// Reads cpu.max (cgroup v2) and cpu.cfs_quota_us with cpu.cfs_period_us (v1), from this process's
// group outwards: a limit on any of them holds.
#include "machine/quota.hpp"

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

bool lists_cpu(const std::string& controllers) {
  std::istringstream stream(controllers);
  for (std::string controller; std::getline(stream, controller, ',');)
    if (controller == "cpu") return true;
  return false;
}

}  // namespace

Quota cpu_quota(const CgroupFiles& files) {
  Quota quota;
  std::ifstream membership(files.membership);
  for (std::string line; std::getline(membership, line);) {  // "4:cpu,cpuacct:/job" or "0::/job"
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    for (const std::string& group : outwards(line.substr(second + 1)))
      if (controllers.empty()) {
        for (const char* mount : {"", "/unified"}) tighten_v2(quota, files.mount + mount + group);
      } else if (lists_cpu(controllers)) {
        for (const std::string& mount : {std::string("cpu"), controllers})
          tighten_v1(quota, files.mount + '/' + mount + group);
      }
  }
  return quota;
}

std::uint32_t usable_pus(std::uint32_t bound_pus, const Quota& quota) {
  const double most = std::min(static_cast<double>(bound_pus), quota.pus);
  return std::max(1u, static_cast<std::uint32_t>(most));
}

}  // namespace terrace
