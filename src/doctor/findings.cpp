// SPDX-License-Identifier: BSD-3-Clause
// The list of checks, and the text of verdicts.
#include "doctor/findings.hpp"

#include <algorithm>

#include "doctor/checks.hpp"

namespace terrace {

const char* to_text(Verdict verdict) {
  constexpr const char* kNames[] = {"fine", "note", "warning", "failure"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Verdict worst_of(const std::vector<Finding>& findings) {
  Verdict worst = Verdict::fine;
  for (const Finding& finding : findings) worst = std::max(worst, finding.verdict);
  return worst;
}

std::vector<Finding> examine(const SystemView& system, const Trials& trials, std::uint32_t ranks) {
  const CheckedSystem checked{system, trials, keeper_of(system), ranks};
  std::vector<Finding> findings;
  for (const auto look : {check_kernel, check_sharing, check_proc, check_namespaces, check_seccomp,
                          check_ptrace, check_copying})
    look(checked, findings);
  for (const auto look : {check_shm, check_memory_limit, check_file_limits, check_huge_pages})
    look(checked, findings);
  for (const auto look :
       {check_quota, check_ranks, check_autogroup, check_cache_lines, check_numa, check_kept_costs})
    look(checked, findings);
  return findings;
}

}  // namespace terrace
