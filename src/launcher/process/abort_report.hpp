// SPDX-License-Identifier: BSD-3-Clause
// Reports why a job ended early: the rank and the reason.
#pragma once

#include <string>

namespace terrace {

class LaunchedJob;
class PrivateMpi;

/// Once per process: fatal signals are reported with the rank that they came from.
void watch_for_crashes(LaunchedJob& job);

/// Asks the rank's handler first about a signal. Returns 0 or -1, as sigaction does.
int ask_about_signal(int signal, int flags);

/// Called in each thread of a rank, so that even a stack overflow can be reported.
void prepare_abort_report();

/// From now on, the end of this job is the end of its other processes, by that MPI's MPI_Abort.
void end_others_by(PrivateMpi& mpi);

/// Ends the process and the job's others with that status.
[[noreturn]] void end_processes(int status);
/// Ends a process that has run no rank, and the job's others. If others have not met it yet,
/// SIGTERM ends it: hydra waits for ever where a process ends before MPI_Init, unless a signal ends
/// it.
[[noreturn]] void end_refused_process(int status);

/// Reports what the rank has done, and ends the process with that status; in a child that the rank
/// has forked, that one alone.
[[noreturn]] void end_job(int rank, const std::string& what, int status);

/// Ends the process now: nothing more of any rank runs.
[[noreturn]] void end_process(int status);

}  // namespace terrace
