// SPDX-License-Identifier: BSD-3-Clause
// The rows of a program's report (TERRACE_REPORT), with the predictions for each.
#pragma once

#include <string>

#include "call_options.hpp"

namespace terrace {

/// Prints the calls of each row of a report: predicted, as the program's trials found, timed here
/// if asked for; and what most of the time goes to. `like`: the machine, and the ranks if they are
/// not to be the report's. Refuses as `verb` does a file that is no report.
void explain_report(const std::string& path, const CallOptions& like, bool is_timed,
                    const Verb& verb);

}  // namespace terrace
