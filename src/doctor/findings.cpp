// SPDX-License-Identifier: BSD-3-Clause
// The list of checks, and words for verdicts.
#include "doctor/findings.hpp"

#include <algorithm>

#include "doctor/looks.hpp"

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
  const Patient patient{system, trials, keeper_of(system), ranks};
  std::vector<Finding> findings;
  for (const auto look : {look_at_kernel, look_at_sharing, look_at_proc, look_at_namespaces,
                          look_at_seccomp, look_at_ptrace, look_at_copying})
    look(patient, findings);
  for (const auto look :
       {look_at_shm, look_at_memory_limit, look_at_file_limits, look_at_huge_pages})
    look(patient, findings);
  for (const auto look : {look_at_quota, look_at_ranks, look_at_autogroup, look_at_numa})
    look(patient, findings);
  return findings;
}

}  // namespace terrace
