// SPDX-License-Identifier: BSD-3-Clause
// Checks what earlier jobs have measured of this machine.
#include <string>

#include "doctor/checks.hpp"

namespace terrace {

namespace {

/// Quiet measurements of one machine differ by less.
constexpr double kDoubtful = 3;

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

}  // namespace

void check_kept_costs(const CheckedSystem& checked, std::vector<Finding>& findings) {
  const std::string subject = "measured costs";
  if (!checked.trials.costs) return;
  const KeptCosts& kept = *checked.trials.costs;
  const std::string found = counted(kept.regimes, "distance") + " between cores in " + kept.file;
  if (kept.ratio > kDoubtful)
    findings.push_back({subject, Verdict::note, found + "; they disagree: " + kept.about,
                        "other programs ran beside a measurement; of three the middle one counts",
                        "remove the file, and run a job on the quiet machine"});
  else if (kept.unsettled > 0)
    findings.push_back({subject, Verdict::note,
                        found + ", " + std::to_string(kept.unsettled) +
                            " measured less than three times in the last month",
                        "the next jobs measure them once more"});
  else
    findings.push_back({subject, Verdict::fine, found});
}

}  // namespace terrace
