// SPDX-License-Identifier: BSD-3-Clause
// The message of a job that ends other than by its ranks' returning: names the rank and the reason.
#pragma once

#include <string>

namespace terrace {

class LaunchedJob;

/// Once per process: signals that end a program are reported with the rank they came from.
void watch_for_crashes(LaunchedJob& job);

/// The rank is asked first about a signal. As sigaction, 0 or -1.
int ask_about_signal(int signal, int flags);

/// In each thread of a rank: so that a crash for want of stack can still be reported.
void prepare_abort_report();

/// Says that the rank has done this, and ends the process with that status.
[[noreturn]] void end_job(int rank, const std::string& what, int status);

/// Ends the process now: nothing more of any rank runs.
[[noreturn]] void end_process(int status);

}  // namespace terrace
