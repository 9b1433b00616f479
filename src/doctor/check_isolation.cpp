// SPDX-License-Identifier: BSD-3-Clause
// Checks containers, namespaces and filters, which keep processes from each other's memory.
#include <string>

#include "doctor/checks.hpp"

namespace terrace {

namespace {

/// The kernel gives the namespaces it starts with these numbers.
struct Namespace {
  const char* kind;
  const char* name;
  const char* first;
  const char* means;
};
constexpr Namespace kNamespaces[] = {
    {"pid", "process numbers", "pid:[4026531836]",
     "ranks form teams only with ranks of the same container"},
    {"user", "users", "user:[4026531837]",
     "ranks form teams only with ranks of the same container"},
    {"ipc", "System V memory", "ipc:[4026531839]", "nothing: Terrace uses none; your MPI may"},
};

std::string sharing_options(Keeper keeper, const std::string& kind) {
  const std::string option = kind == "user" ? "--userns=host" : "--" + kind + "=host";
  switch (keeper) {
    case Keeper::docker:
      return "start the node's ranks in one container, or `docker run " + option + "`";
    case Keeper::podman:
      return "start the node's ranks in one container, or `podman run " + option + "`";
    case Keeper::kubernetes:
      return "start the node's ranks in one container, or set " +
             std::string(kind == "pid" ? "hostPID: true" : "hostIPC: true") + " in the pod's spec";
    default:
      return "start the node's ranks in one container or `unshare`";
  }
}

std::string status_of_process(const SystemView& system) {
  return system.text("/proc/self/status").value_or("");
}

}  // namespace

Keeper keeper_of(const SystemView& system) {
  const std::string groups = system.text("/proc/self/cgroup").value_or("");
  const auto is_in = [&](const char* word) { return groups.find(word) != groups.npos; };
  if (is_in("kubepods") || system.has("/var/run/secrets/kubernetes.io")) return Keeper::kubernetes;
  if (system.has("/run/.containerenv") || is_in("libpod")) return Keeper::podman;
  if (system.has("/.dockerenv") || is_in("/docker")) return Keeper::docker;
  if (is_in("/slurm") || is_in("slurmstepd")) return Keeper::slurm;
  return Keeper::none;
}

std::string tracing_option(Keeper keeper) {
  switch (keeper) {
    case Keeper::docker:
      return "docker run --cap-add=SYS_PTRACE";
    case Keeper::podman:
      return "podman run --cap-add=SYS_PTRACE";
    case Keeper::kubernetes:
      return "securityContext: {capabilities: {add: [SYS_PTRACE]}}";
    default:
      return "sysctl -w kernel.yama.ptrace_scope=0 (as root)";
  }
}

void check_kernel(const CheckedSystem& checked, std::vector<Finding>& findings) {
  const std::string release = checked.system.line("/proc/sys/kernel/osrelease");
  Finding finding{"kernel", Verdict::fine, "Linux " + (release.empty() ? "unknown" : release)};
  const bool is_wsl = release.find("icrosoft") != release.npos;
  if (is_wsl && release.find("WSL2") == release.npos)
    finding = {"kernel", Verdict::failure, finding.found + ", the first Windows Subsystem",
               "it imitates Linux, and has no memory files",
               "wsl --set-version DISTRIBUTION 2 (in Windows)"};
  else if (is_wsl)
    finding = {"kernel", Verdict::note, finding.found + ", a virtual machine of Windows",
               "caches and NUMA nodes are what Windows shows of them, and PUs move between cores",
               "processors= and memory= under [wsl2] in %UserProfile%\\.wslconfig set its size"};
  findings.push_back(finding);
}

/// Checks that processes can share memory; without it there are no teams of processes.
void check_sharing(const CheckedSystem& checked, std::vector<Finding>& findings) {
  const auto& outcome = checked.trials.sharing;
  if (!outcome) return;
  if (outcome->empty())
    findings.push_back({"sharing memory", Verdict::fine, "processes can open each other's"});
  else
    findings.push_back({"sharing memory", Verdict::failure, *outcome,
                        "ranks cannot share memory: all calls fall back to the MPI",
                        "allow memfd_create, and /proc/PID/fd between processes of one user"});
}

void check_proc(const CheckedSystem& checked, std::vector<Finding>& findings) {
  const char* const subject = "/proc";
  if (!checked.system.has("/proc/self/status")) {
    findings.push_back({subject, Verdict::failure, "not mounted",
                        "ranks cannot find each other: all calls fall back to the MPI",
                        "mount -t proc proc /proc (as root)"});
    return;
  }
  const auto mount = mount_on(checked.system, "/proc");
  const auto hidden = mount ? mount->option("hidepid") : std::nullopt;
  const bool is_hidden = hidden && *hidden != "0" && *hidden != "off";
  const bool needs_tracing = is_hidden && (*hidden == "4" || *hidden == "ptraceable");
  if (needs_tracing)
    findings.push_back(
        {subject, Verdict::warning, "hidepid=" + *hidden,
         "ranks that may not be traced cannot be seen; then calls fall back to the MPI",
         "mount -o remount,hidepid=2 /proc (as root)"});
  else if (is_hidden)
    findings.push_back({subject, Verdict::note, "hidepid=" + *hidden,
                        "nothing for ranks of one user, who see each other"});
  else
    findings.push_back({subject, Verdict::fine, "processes can be seen"});
}

void check_namespaces(const CheckedSystem& checked, std::vector<Finding>& findings) {
  for (const Namespace& one : kNamespaces) {
    const std::string subject = std::string("namespace of ") + one.name;
    const std::string link = checked.system.link(std::string("/proc/self/ns/") + one.kind);
    if (link.empty())
      findings.push_back({subject, Verdict::note, "cannot be read",
                          "ranks that cannot tell whether they share it form no teams"});
    else if (link == one.first)
      findings.push_back({subject, Verdict::fine, "the system's own"});
    else
      findings.push_back(
          {subject, Verdict::note, "a container's, " + link, one.means,
           std::string(one.kind) == "ipc" ? "" : sharing_options(checked.keeper, one.kind)});
  }
}

void check_seccomp(const CheckedSystem& checked, std::vector<Finding>& findings) {
  const std::string mode = value_after("Seccomp:", status_of_process(checked.system));
  if (mode.empty() || mode == "0") {
    findings.push_back({"system call filter", Verdict::fine, "none"});
    return;
  }
  const bool is_docker = checked.keeper == Keeper::docker;
  const bool is_podman = checked.keeper == Keeper::podman;
  findings.push_back(
      {"system call filter", Verdict::note, "seccomp, mode " + mode,
       "it may refuse mbind and process_vm_readv, by which MPIs place and copy memory; Terrace "
       "needs neither, but copies long blocks by the latter where it pays",
       is_docker || is_podman
           ? std::string(is_docker ? "docker" : "podman") + " run --cap-add=SYS_NICE for mbind"
           : ""});
}

void check_ptrace(const CheckedSystem& checked, std::vector<Finding>& findings) {
  const std::string scope = checked.system.line("/proc/sys/kernel/yama/ptrace_scope");
  if (scope.empty() || scope == "0") {
    findings.push_back({"ptrace scope", Verdict::fine,
                        scope.empty() ? "no Yama in this kernel" : "0: processes of one user"});
    return;
  }
  const std::string who =
      scope == "1" ? "1: ancestors only" : scope + (scope == "2" ? ": administrators" : ": nobody");
  findings.push_back(
      {"ptrace scope", Verdict::note, who,
       "peers may not read each other's memory by process_vm_readv (CMA)",
       scope == "3" ? "none before the next start of the kernel" : tracing_option(checked.keeper)});
}

void check_copying(const CheckedSystem& checked, std::vector<Finding>& findings) {
  const auto& outcome = checked.trials.copying;
  if (!outcome) return;
  if (outcome->empty())
    findings.push_back({"copying between processes", Verdict::fine, "process_vm_readv works"});
  else
    findings.push_back(
        {"copying between processes", Verdict::note, "process_vm_readv: " + *outcome,
         "long blocks go through shared memory alone, at times slower; your MPI may be "
         "slow",
         tracing_option(checked.keeper)});
}

}  // namespace terrace
