// SPDX-License-Identifier: BSD-3-Clause
// Findings: what in a system helps or hinders Terrace, and what to change.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "doctor/system_view.hpp"

namespace terrace {

enum class Verdict : std::uint8_t {
  fine,
  note,     ///< for information; Terrace works as well as it can
  warning,  ///< costs time, or may break the program
  failure,  ///< all calls fall back to the MPI
};
const char* to_text(Verdict verdict);

struct Finding {
  std::string subject;  ///< "CPU quota"
  Verdict verdict = Verdict::fine;
  std::string found;
  std::string means{};   ///< the consequence for Terrace; "" where fine
  std::string change{};  ///< the setting to change; "" if there is none
};

/// Runs all checks, for a job of `ranks` ranks on this node; 0: as many as can run at the same
/// time.
std::vector<Finding> examine(const SystemView& system, const Trials& trials, std::uint32_t ranks);

/// The worst; fine if there are none.
Verdict worst_of(const std::vector<Finding>& findings);

}  // namespace terrace
