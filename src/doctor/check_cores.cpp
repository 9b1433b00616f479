// SPDX-License-Identifier: BSD-3-Clause
// Checks PUs, quotas, ranks that outnumber PUs, and impossible NUMA nodes.
#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include "base/cache_aligned.hpp"
#include "base/number.hpp"
#include "doctor/checks.hpp"
#include "os/pu_set.hpp"
#include "os/quota.hpp"

namespace terrace {

namespace {

/// The number of PUs in a list such as "0-3,8".
std::uint32_t count_of(const std::string& list) {
  const Result<PuSet> pus = pu_set_from_text(list);
  return pus ? static_cast<std::uint32_t>(pus.value().count()) : 0;
}

std::uint32_t allowed_pus(const SystemView& system) {
  const std::string status = system.text("/proc/self/status").value_or("");
  return std::max(1u, count_of(value_after("Cpus_allowed_list:", status)));
}

Quota quota_of(const SystemView& system) {
  return cpu_quota({system.place_of("/proc/self/cgroup"), system.place_of("/sys/fs/cgroup")});
}

std::string quota_option(Keeper keeper, std::uint32_t pus) {
  const std::string set = pus == 1 ? "0" : "0-" + std::to_string(pus - 1);
  switch (keeper) {
    case Keeper::docker:
      return "docker run --cpuset-cpus=" + set + " instead of --cpus";
    case Keeper::podman:
      return "podman run --cpuset-cpus=" + set + " instead of --cpus";
    case Keeper::kubernetes:
      return "whole CPUs with equal requests and limits, and the kubelet's "
             "--cpu-manager-policy=static";
    case Keeper::slurm:
      return "ConstrainCores=yes in cgroup.conf instead of a quota; srun --cpu-bind=cores";
    default:
      return "a cpuset of " + set + " instead of the quota (AllowedCPUs= in systemd)";
  }
}

/// The longest line of the first PU's caches; 0: the kernel does not tell.
std::uint32_t line_bytes_of(const SystemView& system) {
  const std::string folder = "/sys/devices/system/cpu/cpu0/cache/";
  std::uint32_t most = 0;
  for (const std::string& cache : system.names_in(folder))
    if (const auto bytes =
            number_from_text<std::uint32_t>(system.line(folder + cache + "/coherency_line_size")))
      most = std::max(most, *bytes);
  return most;
}

std::string short_number(double number) {
  std::ostringstream text;
  text.precision(3);
  text << number;
  return text.str();
}

struct NumaNode {
  std::string name;
  std::string distances;
  std::uint32_t pus = 0;
  std::uint64_t kibibytes = 0;
};

std::vector<NumaNode> numa_nodes(const SystemView& system) {
  const std::string folder = "/sys/devices/system/node/";
  std::vector<NumaNode> nodes;
  for (const std::string& name : system.names_in(folder)) {
    if (!name.starts_with("node") || !number_from_text<std::uint32_t>(name.substr(4))) continue;
    NumaNode node{name, system.line(folder + name + "/distance"),
                  count_of(system.line(folder + name + "/cpulist"))};
    const std::string memory = system.text(folder + name + "/meminfo").value_or("");
    const std::string key = "Node " + name.substr(4) + " MemTotal:";
    std::istringstream(value_after(key, memory)) >> node.kibibytes;
    nodes.push_back(node);
  }
  return nodes;
}

/// Whether distances tell near from far: a node is nearest to itself, and not everywhere is the
/// same.
bool are_plausible(const std::vector<NumaNode>& nodes) {
  for (std::size_t own = 0; own < nodes.size(); ++own) {
    std::istringstream words(nodes[own].distances);
    std::vector<int> row;
    for (int distance = 0; words >> distance;) row.push_back(distance);
    if (row.size() != nodes.size()) return false;
    for (std::size_t other = 0; other < row.size(); ++other)
      if (other != own && row[other] <= row[own]) return false;
  }
  return true;
}

std::string list_of(const std::vector<NumaNode>& nodes, bool (*is_wanted)(const NumaNode&)) {
  std::string list;
  for (const NumaNode& node : nodes)
    if (is_wanted(node)) list += (list.empty() ? "" : ", ") + node.name;
  return list;
}

}  // namespace

std::uint32_t usable_pus_of(const CheckedSystem& checked) {
  return usable_pus(allowed_pus(checked.system), quota_of(checked.system));
}

std::uint32_t ranks_of(const CheckedSystem& checked) {
  return checked.ranks > 0 ? checked.ranks : usable_pus_of(checked);
}

void check_quota(const CheckedSystem& checked, std::vector<Finding>& findings) {
  const std::uint32_t allowed = allowed_pus(checked.system);
  const Quota quota = quota_of(checked.system);
  const std::string pus = std::to_string(allowed) + (allowed == 1 ? " PU" : " PUs");
  if (!quota.is_limited() || quota.pus >= allowed) {
    findings.push_back({"CPU quota", Verdict::fine, "none below the " + pus + " of this process"});
    return;
  }
  findings.push_back({"CPU quota", Verdict::warning,
                      short_number(quota.pus) + " of " + pus + " at a time, set by " + quota.file,
                      "ranks that wait use up the time of those that work, and then all are "
                      "stopped; Terrace counts " +
                          std::to_string(usable_pus_of(checked)) + " PUs",
                      quota_option(checked.keeper, usable_pus_of(checked))});
}

void check_ranks(const CheckedSystem& checked, std::vector<Finding>& findings) {
  if (checked.ranks == 0) return;
  const std::uint32_t pus = usable_pus_of(checked);
  const std::string found = std::to_string(checked.ranks) + " for " + std::to_string(pus) + " PUs";
  if (checked.ranks <= pus)
    findings.push_back({"ranks", Verdict::fine, found});
  else
    findings.push_back({"ranks", Verdict::warning, found,
                        "ranks take turns: waiting is by yields and sleep, and each call takes "
                        "some scheduler's turns",
                        "mpirun -n " + std::to_string(pus)});
}

void check_autogroup(const CheckedSystem& checked, std::vector<Finding>& findings) {
  const std::string setting = checked.system.line("/proc/sys/kernel/sched_autogroup_enabled");
  const bool takes_turns = checked.ranks > usable_pus_of(checked);
  if (setting != "1" || !takes_turns)
    findings.push_back({"autogroup scheduling", Verdict::fine,
                        setting == "1" ? "on; matters if ranks outnumber PUs" : "off"});
  else
    findings.push_back({"autogroup scheduling", Verdict::warning, "on",
                        "ranks that MPICH's launcher starts cannot yield to each other; Terrace "
                        "sleeps instead, MPICH itself takes milliseconds per call",
                        "sysctl -w kernel.sched_autogroup_enabled=0 (as root)"});
}

void check_cache_lines(const CheckedSystem& checked, std::vector<Finding>& findings) {
  const std::uint32_t bytes = line_bytes_of(checked.system);
  if (bytes == 0) return;
  const std::string found = std::to_string(bytes) + " bytes";
  if (bytes <= kLinePairBytes)
    findings.push_back({"cache lines", Verdict::fine, found});
  else
    findings.push_back(
        {"cache lines", Verdict::warning,
         found + "; this build of Terrace is for lines of " + std::to_string(kLineBytes),
         "ranks write to the same lines at the same time, so short calls take "
         "several times as long; results are right",
         bytes <= kLongestLineBytes
             ? "build Terrace on this machine, or with cmake -DTERRACE_LINE_BYTES=" +
                   std::to_string(bytes)
             : "no build of Terrace is for such lines"});
}

void check_numa(const CheckedSystem& checked, std::vector<Finding>& findings) {
  const std::vector<NumaNode> nodes = numa_nodes(checked.system);
  const std::string pretend = "TERRACE_MACHINE=\"pack:2 [numa] core:16 pu:1\", as the machine is";
  const std::string bare = list_of(nodes, [](const NumaNode& node) { return node.kibibytes == 0; });
  const std::string idle = list_of(nodes, [](const NumaNode& node) { return node.pus == 0; });
  if (nodes.empty()) {
    findings.push_back({"NUMA", Verdict::note, "the kernel shows no nodes",
                        "ranks are grouped by caches and packages alone", pretend});
    return;
  }
  if (!are_plausible(nodes))
    findings.push_back({"NUMA", Verdict::warning,
                        "distances that tell nothing (" + nodes.front().name + ": " +
                            nodes.front().distances + ")",
                        "nodes may be invented by the firmware or the virtual machine; ranks are "
                        "grouped by them all the same",
                        pretend});
  if (!bare.empty())
    findings.push_back({"NUMA", Verdict::warning, "no memory at " + bare,
                        "ranks there have all their memory elsewhere",
                        "fill the memory channels, or give the virtual machine memory per node"});
  if (!idle.empty())
    findings.push_back({"NUMA", Verdict::note, "no PUs at " + idle,
                        "memory without cores, as of expansion cards: no rank is near it"});
  if (are_plausible(nodes) && bare.empty() && idle.empty())
    findings.push_back({"NUMA", Verdict::fine,
                        std::to_string(nodes.size()) + (nodes.size() == 1 ? " node" : " nodes")});
}

}  // namespace terrace
