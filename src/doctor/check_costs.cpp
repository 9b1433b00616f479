// SPDX-License-Identifier: BSD-3-Clause
// Checks what earlier jobs have measured of this machine.
#include <string>

#include "base/counted.hpp"
#include "doctor/checks.hpp"

namespace terrace {

namespace {

/// Factor within which measurements of one quiet machine agree.
constexpr double kDoubtful = 3;

}  // namespace

void check_kept_costs(const CheckedSystem& checked, std::vector<Finding>& findings) {
  const std::string subject = "measured costs";
  if (!checked.trials.costs) return;
  const KeptCosts& kept = *checked.trials.costs;
  const std::string found =
      counted(kept.regimes, "set") + " of distances between cores in " + kept.file;
  if (kept.ratio > kDoubtful)
    findings.push_back(
        {subject, Verdict::note, found + "; they disagree: " + kept.about,
         "other programs ran during a measurement; of three, the median counts",
         "remove the file, and run three jobs, a minute apart, while nothing else runs"});
  else if (kept.unsettled > 0)
    findings.push_back({subject, Verdict::note,
                        found + ", " + std::to_string(kept.unsettled) +
                            " measured fewer than three times in the last 30 days",
                        "the next jobs measure them again"});
  else
    findings.push_back({subject, Verdict::fine, found});
}

}  // namespace terrace
