// SPDX-License-Identifier: BSD-3-Clause
// Reads the settings that each reach depends on.
#include "doctor/reaches.hpp"

#include "doctor/checks.hpp"

namespace terrace {

namespace {

const char* const kThpFolder = "/sys/kernel/mm/transparent_hugepage/";

/// Returns the word in brackets of "always [madvise] never"; "" if there is none.
std::string chosen_in(const std::string& line) {
  const std::size_t begin = line.find('[') + 1;  // npos + 1 is 0
  return begin == 0 ? "" : line.substr(begin, line.find(']') - begin);
}

ReachHere bounced_on(const SystemView&, const Trials& trials) {
  ReachHere bounced{"bounced", true, "through memory that ranks share; used by default"};
  if (trials.sharing.value_or("").empty()) return bounced;
  return {"bounced", false, *trials.sharing + ": all calls fall back to the MPI",
          "allow memfd_create, and /proc/PID/fd between processes of one user"};
}

/// Checks what src/heap/obstacle.cpp checks, in the files of a system that may be another.
ReachHere direct_on(const SystemView& system, const Trials& trials) {
  constexpr std::uint64_t kGrowthBytes = std::uint64_t{64} << 20;
  const auto refused = [](const std::string& why, const std::string& change) {
    return ReachHere{"direct", false, why, change};
  };
  if (!trials.sharing.value_or("").empty()) return refused(*trials.sharing, "as for bounced");
  if (system.line("/proc/sys/vm/overcommit_memory") == "2")
    return refused("the system hands out no more memory than it has (vm.overcommit_memory is 2)",
                   "sysctl -w vm.overcommit_memory=0 (as root)");
  if (limit_of(system, "Max address space"))
    return refused("address space is limited", "ulimit -v unlimited");
  if (limit_of(system, "Max file size").value_or(kGrowthBytes) < kGrowthBytes)
    return refused("the size of files is limited", "ulimit -f unlimited");
  return {"direct", true, "in a shared heap, with `terrace exec --shared-heap`"};
}

/// The rule that refuses, as far as files show it, and the setting to change.
ReachHere refusal_of_pulling(const SystemView& system, const std::string& outcome) {
  const Keeper keeper = keeper_of(system);
  const std::string scope = system.line("/proc/sys/kernel/yama/ptrace_scope");
  const std::string filter = value_after("Seccomp:", system.text("/proc/self/status").value_or(""));
  ReachHere pulled{"pulled", false, "process_vm_readv: " + outcome};
  if (scope == "3") {
    pulled.found += "; kernel.yama.ptrace_scope is 3, until the kernel starts again";
  } else if (!scope.empty() && scope != "0") {
    pulled.found += "; kernel.yama.ptrace_scope is " + scope;
    pulled.change = tracing_option(keeper);
  } else if (!filter.empty() && filter != "0") {
    pulled.found += "; a system call filter is there (seccomp, mode " + filter + ")";
    const bool is_alone = keeper == Keeper::none || keeper == Keeper::slurm;
    pulled.change = is_alone ? "let the filter pass process_vm_readv" : tracing_option(keeper);
  }
  return pulled;
}

ReachHere pulled_on(const SystemView& system, const Trials& trials) {
  if (!trials.copying) return {"pulled", false, "process_vm_readv has not been tried"};
  if (!trials.copying->empty()) return refusal_of_pulling(system, *trials.copying);
  return {"pulled", true,
          "process_vm_readv works between processes; used where it is seen to pay (TERRACE_REACH)"};
}

/// The first thing missing: the kernel's module, its library, or the right to use it.
ReachHere xpmem_on(const SystemView& system, const Trials& trials) {
  const auto refused = [](const std::string& why, const std::string& change) {
    return ReachHere{"XPMEM", false, why, change};
  };
  if (trials.xpmem.value_or("untried").empty())
    return {
        "XPMEM", true,
        "used with TERRACE_REACH=attached only: written by its documents, and not tried on a real "
        "machine yet"};
  if (!system.has("/dev/xpmem"))
    return refused("no /dev/xpmem",
                   "modprobe xpmem (as root), where the module is installed; "
                   "a container must be given the device");
  if (!trials.xpmem) return refused("/dev/xpmem is there; libxpmem has not been tried", "");
  return refused("/dev/xpmem is there, but " + *trials.xpmem,
                 "install libxpmem.so.0, or name its folder in LD_LIBRARY_PATH; let this user open "
                 "/dev/xpmem to read and write");
}

}  // namespace

std::vector<ReachHere> reaches_on(const SystemView& system, const Trials& trials) {
  std::vector<ReachHere> reaches;
  for (const auto look : {bounced_on, direct_on, pulled_on, xpmem_on})
    reaches.push_back(look(system, trials));
  return reaches;
}

Pages pages_on(const SystemView& system) {
  const auto chosen = [&](const char* file) {
    return chosen_in(system.line(std::string(kThpFolder) + file));
  };
  return {chosen("enabled"), chosen("shmem_enabled")};
}

std::string to_text(const Pages& pages) {
  const std::string shared = "; shared memory: " + (pages.shared.empty() ? "never" : pages.shared);
  if (pages.own == "always") return "huge where memory has room (always)" + shared;
  if (pages.own == "madvise")
    return "4 KiB; huge where a program asks for them (madvise), where pulling pays more" + shared;
  return "4 KiB, where pulling hardly pays" + shared;
}

}  // namespace terrace
