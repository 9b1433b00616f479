// SPDX-License-Identifier: BSD-3-Clause
// Finds out which libraries the ranks of a job have loaded.
#include "preload/setup/job_ranks.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "base/say.hpp"
#include "base/switch.hpp"
#include "preload/interpose/symbol_lookup.hpp"
#include "preload/setup/settings.hpp"

namespace terrace::preload {

namespace {

Presence presence_in(const std::string& mappings) {
  if (!maps_an_mpi(mappings)) return Presence::no_mpi;
  const std::string ours = std::string("/") + kOurFileNames;
  return mappings.find(ours) != std::string::npos ? Presence::with : Presence::without;
}

/// Whether processes of the same user may read this one's maps: programs can forbid it.
bool is_readable() {
  return prctl(PR_GET_DUMPABLE) == 1;
}

/// What is known of the job so far. A rank keeps what it mapped in MPI_Init, so only ranks that
/// were not seen, or seen without an MPI, are looked up again, unless all ranks of the node were
/// found.
class Job {
 public:
  /// Nothing if only this process cannot look at the moment.
  std::optional<Presences> presences(std::span<const int> ranks, Launcher launcher) {
    const std::lock_guard lock(mutex_);
    const bool are_known = std::all_of(ranks.begin(), ranks.end(), [&](int rank) {
      const auto found = seen_.find(rank);
      return found != seen_.end() && found->second != Presence::no_mpi;
    });
    if (!are_known && !is_complete_ && !look(launcher)) return std::nullopt;
    return seen_;
  }

 private:
  bool look(Launcher launcher) {
    if (!is_readable()) return true;
    std::error_code failure;
    const std::vector<SeenProcess> processes = all_processes(failure);
    if (failure == std::errc::too_many_files_open ||
        failure == std::errc::too_many_files_open_in_system)
      return false;
    seen_ = presences_in(processes, getpid(), launcher);
    is_complete_ = seen_.size() == ranks_on_node() &&
                   std::none_of(seen_.begin(), seen_.end(),
                                [](const auto& entry) { return entry.second == Presence::no_mpi; });
    return true;
  }

  std::mutex mutex_;
  Presences seen_;
  bool is_complete_ = false;
};

/// The ranks that are known to have started with a variable set, which does not change.
class KnownTold {
 public:
  std::set<int> among(const char* name, std::span<const int> ranks, Launcher launcher) {
    const std::lock_guard lock(mutex_);
    std::set<int>& told = told_[name];
    const bool are_known =
        std::all_of(ranks.begin(), ranks.end(), [&](int rank) { return told.count(rank) != 0; });
    std::error_code failure;
    if (!are_known) told.merge(ranks_told(name, all_processes(failure), getpid(), launcher));
    return told;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::set<int>> told_;
};

/// By variables that this process has had from the beginning, since /proc shows others no later
/// ones: Intel MPI sets MPI_LOCALNRANKS in MPI_Init, whatever the launcher.
Launcher launcher_of_this_job(Abi abi) {
  static auto* const first = new std::string([] {  // programs may call until they have ended
    std::error_code failure;
    return contents("/proc/self/environ", failure);
  }());
  const auto is_set = [](const char* name) {
    return std::getenv(name) != nullptr && (first->empty() || !variable_in(*first, name).empty());
  };
  for (const Launcher launcher : launchers_in(is_set))
    if (launcher != Launcher::hydra || abi != Abi::openmpi) return launcher;
  return Launcher::unknown;
}

/// Reported by the lowest rank that has Terrace: once per job and node is enough.
bool speaks(int own_rank, const Presences& seen) {
  const auto first = std::find_if(seen.begin(), seen.end(),
                                  [](const auto& entry) { return entry.second == Presence::with; });
  return first == seen.end() || first->first == own_rank;
}

/// Nothing if no rank can be seen.
std::optional<Presences> seen_among(std::span<const int> ranks, Abi abi) {
  static auto* const job = new Job;  // programs may call until they have ended
  const Launcher launcher = launcher_of_this_job(abi);
  return launcher == Launcher::unknown ? std::nullopt : job->presences(ranks, launcher);
}

bool are_here(std::span<const int> ranks, const Presences& seen) {
  return std::all_of(ranks.begin(), ranks.end(),
                     [&](int rank) { return seen.find(rank) != seen.end(); });
}

}  // namespace

Presences presences_in(std::span<const SeenProcess> processes, std::int64_t own,
                       Launcher launcher) {
  Presences presences;
  for (const auto& [rank, process] : ranks_of_job(processes, own, launcher)) {
    Presence& presence = presences[rank];
    presence = std::max(presence, presence_in(process->mappings));
  }
  return presences;
}

std::set<int> ranks_told(const char* name, std::span<const SeenProcess> processes, std::int64_t own,
                         Launcher launcher) {
  std::set<int> told;
  for (const auto& [rank, process] : ranks_of_job(processes, own, launcher))
    if (switch_from_text(std::string(variable_in(process->environment, name))) == true)
      told.insert(rank);
  return told;
}

std::optional<int> first_of(std::span<const int> ranks, Presence presence, const Presences& seen) {
  for (const int rank : ranks)
    if (const auto found = seen.find(rank); found != seen.end() && found->second == presence)
      return rank;
  return std::nullopt;
}

std::string absence_among(std::span<const int> ranks, int own_rank, Abi abi) {
  const auto seen = seen_among(ranks, abi);
  if (!seen) return "";  // the agreement will hear of it: this rank cannot open the memory either
  const auto text = [](int rank) { return "rank " + std::to_string(rank) + " of MPI_COMM_WORLD"; };
  if (const auto without = first_of(ranks, Presence::without, *seen)) {
    const std::string why = text(*without) + " runs without Terrace";
    if (speaks(own_rank, *seen))
      say_once(why + ": the MPI's own collectives run where it takes part");
    return why;
  }
  if (const auto hidden = first_of(ranks, Presence::no_mpi, *seen))
    return text(*hidden) +
           " cannot be looked into: it is in a container, has more rights than this rank "
           "(setuid, setcap), or its MPI is linked statically";
  return are_here(ranks, *seen) ? "" : kSeveralNodes;
}

bool is_one_without(std::span<const int> ranks, int own_rank, Abi abi) {
  const auto seen = seen_among(ranks, abi);
  return seen && are_here(ranks, *seen) && !absence_among(ranks, own_rank, abi).empty();
}

bool are_elsewhere(std::span<const int> ranks, Abi abi) {
  const auto seen = seen_among(ranks, abi);
  return seen && !are_here(ranks, *seen);
}

std::string who_is_not_told(const char* name, std::span<const int> ranks, Abi abi) {
  static auto* const known = new KnownTold;  // programs may call until they have ended
  const Launcher launcher = launcher_of_this_job(abi);
  if (launcher == Launcher::unknown) return "";
  const std::set<int> told = known->among(name, ranks, launcher);
  for (const int rank : ranks)
    if (told.count(rank) == 0)
      return "it is not set, or cannot be seen, at rank " + std::to_string(rank) +
             " of MPI_COMM_WORLD";
  return "";
}

bool is_promised_across_nodes(Abi abi) {
  static const bool is_promised = [abi] {
    std::error_code failure;
    const auto told =
        ranks_told(kAcrossNodes, all_processes(failure), getpid(), launcher_of_this_job(abi));
    return !told.empty() || is_across_nodes_wanted() || runs_only_terrace_exec();
  }();
  return is_promised;
}

}  // namespace terrace::preload
