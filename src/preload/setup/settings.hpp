// SPDX-License-Identifier: BSD-3-Clause
// The user's settings by environment variables. A team's leader reads those that all its ranks must
// agree on, and sends them to the others; each process reads only those that concern it alone.
//
//   TERRACE=off            leaves every call to the MPI
//   TERRACE_OFF=bcast,...  leaves these collectives, or comm_split_type, to the MPI
//   TERRACE_OFF_COMMUNICATORS=NAME,...  leaves communicators with such a name to the MPI
//   TERRACE_CHECK=1        runs the MPI's collective as well, compares, names the first difference
//   TERRACE_REPRODUCIBLE=1 combines in an order that depends on the number of ranks alone
//   TERRACE_PLAN=FILE      runs this plan instead of Terrace's own, if it fits the team
//   TERRACE_REPORT=1       prints at the end what ran, what was left to the MPI, and why
//   TERRACE_TRACE=FILE     records calls and waits, as a timeline
//   TERRACE_REACH=auto     sets how long vectors reach other ranks: bounced, pulled, attached, auto
//   TERRACE_TRIALS=off     keeps the first choice for each call; sums: trials may change bits
//   TERRACE_MEASURE=off    chooses by assumed costs instead of measuring the machine
//   TERRACE_TUNING=FILE    uses this tuning instead of the machine's own; off: none
//   TERRACE_STALL_SECONDS=30   names the missing rank when a wait lasts that long; 0: never
//   TERRACE_LOCALITY, TERRACE_PUS   set by `terrace exec`: where this rank is, PUs for the job
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collectives/collectives.hpp"

namespace terrace::preload {

/// How long vectors get to other ranks, but for those in shared heaps.
enum class ReachWanted : std::uint8_t {
  whatever_pays,  ///< "auto": bounced, or pulled where that is seen to pay
  bounced,
  pulled,    ///< always, where a plan for it is there
  attached,  ///< likewise, also where heaps are shared
};
/// Nothing for other words; "" is auto.
std::optional<ReachWanted> reach_from(const std::string& text);

/// Whether the first calls find out which way to make them is the fastest.
enum class TrialSetting : std::uint8_t {
  off,
  on,
  any_sums,  ///< also the MPI's own sums, which may have other bits
};

/// What TERRACE_TRIALS says: on, off, sums. Nothing for other words.
std::optional<TrialSetting> trials_from(const std::string& text);

/// The leader's, told to all ranks of a team.
struct TeamSettings {
  std::uint32_t off = 0;  ///< bit c: collective c is left to the MPI
  bool checks = false;
  bool is_reproducible = false;
  ReachWanted reach = ReachWanted::whatever_pays;
  bool measures = true;  ///< what the machine costs, if nothing is known of it
  TrialSetting trials = TrialSetting::on;

  bool operator==(const TeamSettings&) const = default;
  bool runs(Collective collective) const {
    return (off >> static_cast<unsigned>(collective) & 1u) == 0;
  }
};

TeamSettings team_settings();

/// The text of TERRACE_PLAN's file; "" if none is set. One that cannot be read is said once.
std::string plan_text();
std::string plan_path();  ///< as the user wrote it

std::string trace_path();  ///< of TERRACE_TRACE; "" if it is not set

bool is_switched_off();                                     ///< TERRACE=off, in this process
bool is_switched_off_for(const std::string& communicator);  ///< by its name
bool is_split_switched_off();                               ///< TERRACE_OFF=comm_split_type
bool is_reproducible_wanted();                              ///< by this process
bool is_report_wanted();
/// After how long a wait is reported; infinity: never. `text` as the user wrote it, "" for none;
/// nothing for what is no number.
std::optional<double> stall_seconds_from(const std::string& text);
double stall_seconds();
std::string locality_text();    ///< "" without the launcher
std::uint32_t pus_of_job();     ///< how many PUs the job's ranks on this node may use together
std::uint32_t ranks_on_node();  ///< as the job's launcher says; 0 if it does not

/// How many tasks Slurm has started on a node: "4(x2),1" says 4 on nodes 0 and 1, and 1 on node 2.
/// 0 if it does not say.
std::uint32_t tasks_on_node(std::string_view counts, std::uint32_t node);

}  // namespace terrace::preload
