// SPDX-License-Identifier: BSD-3-Clause
// The user's settings by environment variables. A team's leader reads those that all its ranks must
// agree on, and sends them to the others; each process reads only those that concern it alone.
//
//   TERRACE=off            every call falls back to the MPI
//   TERRACE_OFF=bcast,...  these collectives, or comm_split_type, fall back to the MPI
//   TERRACE_OFF_COMMUNICATORS=NAME,...  calls on communicators of these names fall back to the MPI
//   TERRACE_CHECK=1        also run the MPI's collective, compare, and name the first difference;
//                          neighbourhood collectives fall back
//   TERRACE_REPRODUCIBLE=1 combine in an order that depends only on the number of ranks
//   TERRACE_PLAN=FILE      run this plan instead of Terrace's own if it fits the team
//   TERRACE_REPORT=1       print at the end what ran, what fell back to the MPI, and why
//   TERRACE_TRACE=FILE     record calls and waits as a timeline
//   TERRACE_REACH=auto     how peers reach long vectors: bounced or attached (neighbourhood
//                          collectives then fall back), pulled, auto
//   TERRACE_TRIALS=off     keep the first choice for each call; sums: trials may change bits
//   TERRACE_MEASURE=off    choose by assumed costs instead of measuring the machine
//   TERRACE_TUNING=FILE    use this tuning instead of the machine's own; off: use none
//   TERRACE_PROGRESS=8-15  a thread bound to these PUs goes on with nonblocking calls; on, 1: on
//                          the rank's own PUs; off, 0
//   TERRACE_STALL_SECONDS=30   name the missing rank when a wait lasts this long; 0: never
//   TERRACE_ACROSS_NODES=1 the whole job has Terrace: compose calls on ranks of several nodes; 0:
//                          do not, even where the launcher tells that it has
//   TERRACE_LOCALITY, TERRACE_PUS   set by `terrace exec`: this rank's place, the job's PUs
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collectives/collectives.hpp"
#include "os/pu_set.hpp"

namespace terrace::preload {

/// The way peers reach a rank's long vectors, except those in shared heaps.
enum class ReachWanted : std::uint8_t {
  whatever_pays,  ///< "auto": bounced, or pulled where measurements show a gain
  bounced,
  pulled,    ///< whenever there is a plan that pulls
  attached,  ///< whenever possible, also where heaps are shared
};
/// Parses TERRACE_REACH; "" means auto. Nothing for other words.
std::optional<ReachWanted> reach_from(const std::string& text);

/// Whether the first calls of a kind try several ways and find the fastest.
enum class TrialSetting : std::uint8_t {
  off,
  on,
  any_sums,  ///< also the MPI's own sums, which may have other bits
};

/// Parses TERRACE_TRIALS: on, off, sums. Nothing for other words.
std::optional<TrialSetting> trials_from(const std::string& text);

/// The leader's settings, which it sends to all ranks of a team.
struct TeamSettings {
  std::uint32_t off = 0;  ///< bit c: collective c falls back to the MPI
  bool checks = false;
  bool is_reproducible = false;
  ReachWanted reach = ReachWanted::whatever_pays;
  bool measures = true;  ///< the machine's costs, if none are known
  TrialSetting trials = TrialSetting::on;

  bool operator==(const TeamSettings&) const = default;
  bool runs(Collective collective) const {
    return (off >> static_cast<unsigned>(collective) & 1u) == 0;
  }
};

TeamSettings team_settings();
/// Settings that a leader of the same build has sent are such that it can have read.
void require_sound(const TeamSettings& settings);

/// The variable of the first setting in which these differ; "" if they are equal.
std::string first_difference(const TeamSettings& a, const TeamSettings& b);

inline constexpr const char* kAcrossNodes = "TERRACE_ACROSS_NODES";
/// Whether the launcher says that all ranks of the job were started by one `terrace exec`, so that
/// all have Terrace unless a script drops it: Open MPI's does, by OMPI_NUM_APP_CTX, OMPI_COMMAND
/// and OMPI_ARGV.
bool runs_only_terrace_exec();
/// Whether this process wants collectives across nodes: as TERRACE_ACROSS_NODES says, or else if
/// all ranks surely have Terrace.
bool is_across_nodes_wanted();

/// The contents of TERRACE_PLAN's file; "" if none is set. Warns once if it cannot be read.
std::string plan_text();
std::string plan_path();  ///< as the user wrote it; may name an algorithm instead

std::string trace_path();  ///< of TERRACE_TRACE; "" if it is not set

bool is_switched_off();                                     ///< TERRACE=off, in this process
bool is_switched_off_for(const std::string& communicator);  ///< by its name
bool is_split_switched_off();                               ///< TERRACE_OFF=comm_split_type
bool is_reproducible_wanted();                              ///< by this process
bool is_report_wanted();
/// Seconds after which a wait is reported; infinity: never. `text` is the user's, "" if not set;
/// nothing if it is not a number.
std::optional<double> stall_seconds_from(const std::string& text);
double stall_seconds();

/// Settings of the thread that goes on with this process's nonblocking calls.
struct ProgressSetting {
  bool is_wanted = false;
  PuSet pus;  ///< that the thread is bound to; empty: it is not
};
/// Parses TERRACE_PROGRESS: on, off, "", or PUs. Nothing for other words.
std::optional<ProgressSetting> progress_from(const std::string& text);
/// Returns TERRACE_PROGRESS as it was at the first call.
const ProgressSetting& progress_setting();
std::string locality_text();    ///< "" without the launcher
std::uint32_t pus_of_job();     ///< PUs that the job's ranks on this node may use together
std::uint32_t ranks_on_node();  ///< from the launcher; 0 if it does not tell

/// Tasks that Slurm started on a node: "4(x2),1" means 4 on nodes 0 and 1, and 1 on node 2. 0 if
/// the text does not cover the node.
std::uint32_t tasks_on_node(std::string_view counts, std::uint32_t node);

}  // namespace terrace::preload
