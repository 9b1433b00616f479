// SPDX-License-Identifier: BSD-3-Clause
// Finds out which libraries the ranks of a job have loaded.
#include "preload/setup/job_ranks.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "base/say.hpp"
#include "base/switch.hpp"
#include "base/ticks.hpp"
#include "preload/lookup/symbol_lookup.hpp"
#include "preload/mpi/settings.hpp"
#include "preload/mpi/watch_thread.hpp"
#include "preload/setup/peer_visibility.hpp"
#include "preload/setup/rank_info.hpp"

namespace terrace::preload {

namespace {

/// Presence of a rank that has Terrace.
Presence presence_of(PeerVisibility visibility) {
  switch (visibility) {
    case PeerVisibility::unknown:
      return Presence::with;
    case PeerVisibility::shut_in:
      return Presence::shut_in;
    case PeerVisibility::clear:
      break;
  }
  return Presence::sighted;
}

bool has_terrace(Presence presence) {
  return presence >= Presence::with;
}

/// Whether more may be seen of such a rank later.
bool is_open(Presence presence) {
  return presence == Presence::no_mpi || presence == Presence::with;
}

/// Whether processes of the same user may read this one's maps: programs can forbid it.
bool is_readable() {
  return prctl(PR_GET_DUMPABLE) == 1;
}

/// Knowledge of the job so far. A rank keeps what it mapped in MPI_Init, and what it shows of
/// its visibility, so only ranks that were not seen, or seen without an MPI, or before they had
/// looked, are looked up again, unless all ranks of the node were found.
class Job {
 public:
  /// Nothing if only this process cannot look at the moment.
  std::optional<Presences> presences(std::span<const int> ranks, Launcher launcher) {
    const std::lock_guard lock(mutex_);
    const bool are_known = std::all_of(ranks.begin(), ranks.end(), [&](int rank) {
      const auto found = seen_.find(rank);
      return found != seen_.end() && !is_open(found->second);
    });
    if (!are_known && !is_complete_ && !look_again(ranks) && !look(launcher)) return std::nullopt;
    return seen_;
  }

 private:
  /// Asks again those of these ranks that had not looked, if that is all that is missing. False:
  /// one of them has gone, or more is missing.
  bool look_again(std::span<const int> ranks) {
    for (const int rank : ranks) {
      const auto found = seen_.find(rank);
      if (found == seen_.end() || found->second == Presence::no_mpi) return false;
      if (found->second != Presence::with) continue;
      if (!look_again(processes_[rank], found->second)) return false;
    }
    return true;
  }

  /// Looks again at one rank, by its processes: those that it has forked before it looked never
  /// look.
  static bool look_again(const std::vector<std::int64_t>& processes, Presence& most) {
    std::error_code failure;
    for (const std::int64_t process : processes) {
      const Presence now =
          presence_in(contents("/proc/" + std::to_string(process) + "/maps", failure));
      if (!has_terrace(now)) return false;
      most = std::max(most, now);
    }
    return !processes.empty();
  }

  bool look(Launcher launcher) {
    if (!is_readable()) {
      show_visibility(PeerVisibility::shut_in);
      return true;
    }
    std::error_code failure;
    const std::vector<SeenProcess> processes = all_processes(failure);
    if (failure == std::errc::too_many_files_open ||
        failure == std::errc::too_many_files_open_in_system) {
      show_visibility(PeerVisibility::clear);  // it comes to the agreement
      return false;
    }
    const PeerVisibility own = show_visibility(
        is_shut_in(processes, getpid()) ? PeerVisibility::shut_in : PeerVisibility::clear);
    seen_ = presences_in(processes, getpid(), launcher);
    processes_.clear();
    for (const auto& [rank, process] : ranks_of_job(processes, getpid(), launcher)) {
      if (process->number == getpid()) seen_[rank] = presence_of(own);
      if (seen_[rank] == Presence::with && presence_in(process->mappings) == Presence::with)
        processes_[rank].push_back(process->number);
    }
    is_complete_ = seen_.size() == ranks_on_node() &&
                   std::none_of(seen_.begin(), seen_.end(),
                                [](const auto& entry) { return is_open(entry.second); });
    return true;
  }

  std::mutex mutex_;
  Presences seen_;
  std::map<int, std::vector<std::int64_t>> processes_;  ///< that have not looked, by rank
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

/// Finds the launcher by variables that this process has had from the beginning, since /proc shows
/// others no later ones: Intel MPI sets MPI_LOCALNRANKS in MPI_Init, whatever the launcher.
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

/// Reported by the lowest rank that has Terrace and is not known to be shut in: once per job and
/// node is enough.
bool speaks(int own_rank, const Presences& seen) {
  const auto first = std::find_if(seen.begin(), seen.end(), [](const auto& entry) {
    return has_terrace(entry.second) && entry.second != Presence::shut_in;
  });
  return first == seen.end() || first->first == own_rank;
}

/// Nothing if no rank can be seen.
std::optional<Presences> seen_among(std::span<const int> ranks, Abi abi) {
  static auto* const job = new Job;  // programs may call until they have ended
  const Launcher launcher = launcher_of_this_job(abi);
  if (launcher != Launcher::unknown) return job->presences(ranks, launcher);
  show_visibility(
      PeerVisibility::clear);  // it comes to the agreement, and peers that know the launcher wait
  return std::nullopt;
}

bool are_here(std::span<const int> ranks, const Presences& seen) {
  return std::all_of(ranks.begin(), ranks.end(),
                     [&](int rank) { return seen.find(rank) != seen.end(); });
}

std::string name_of(int rank) {
  return "rank " + std::to_string(rank) + " of MPI_COMM_WORLD";
}

constexpr const char* kOutOfSight = " cannot see the other ranks in /proc";

/// Why one of these ranks will not join, whatever the others see: half a sentence, or "".
std::string obstacle_among(std::span<const int> ranks, int own_rank, const Presences& seen) {
  if (const auto without = first_of(ranks, Presence::without, seen)) {
    const std::string why = name_of(*without) + " runs without Terrace";
    if (speaks(own_rank, seen))
      say_once(why + ": the MPI's own collectives run where it takes part");
    return why;
  }
  if (const auto hidden = first_of(ranks, Presence::no_mpi, seen))
    return name_of(*hidden) +
           " cannot be looked into: it is in a container, has more rights than this rank "
           "(setuid, setcap), or its MPI is linked statically";
  return "";
}

/// Why one of these ranks will not join as it does not see the others: half a sentence, or "".
std::string blindness_among(std::span<const int> ranks, int own_rank, const Presences& seen) {
  const auto blind = first_of(ranks, Presence::shut_in, seen);
  if (!blind) return "";
  if (*blind != own_rank && speaks(own_rank, seen))
    say_once(name_of(*blind) + kOutOfSight +
             ", as it has fewer capabilities or is in a sandbox: the MPI's own collectives run "
             "where it takes part");
  return name_of(*blind) + kOutOfSight;
}

/// Waits for ranks that have not looked yet, as the set-up itself would. Not for ever: a rank with
/// a release of Terrace that shows nothing is in the set-up already, which finds out that it
/// differs.
class Patience {
 public:
  explicit Patience(UnderlyingMpi& underlying) : underlying_(underlying) {}
  void wait() {
    underlying_.progress();
    std::this_thread::sleep_for(nap_);
    nap_ = std::min(2 * nap_, kLongestNap);
    const std::chrono::duration<double> waited = KernelClock::now() - begin_;
    if (is_said_ || waited.count() < stall_seconds()) return;
    say(stall_text(kTeamSetup));
    is_said_ = true;
  }
  bool is_over() const { return KernelClock::now() - begin_ > kMost; }

 private:
  static constexpr std::chrono::microseconds kFirstNap{50}, kLongestNap{10'000};
  static constexpr std::chrono::seconds kMost{10};

  UnderlyingMpi& underlying_;
  KernelClock::time_point begin_ = KernelClock::now();
  std::chrono::microseconds nap_ = kFirstNap;
  bool is_said_ = stall_seconds() <= 0;
};

/// Ranks that have not looked in all the time that this one has waited for them.
class LateRanks {
 public:
  bool has_all_of(std::span<const int> ranks, const Presences& seen) {
    const std::lock_guard lock(mutex_);
    return std::all_of(ranks.begin(), ranks.end(), [&](int rank) {
      const auto found = seen.find(rank);
      return found == seen.end() || found->second != Presence::with || late_.count(rank) != 0;
    });
  }
  void add(std::span<const int> ranks, const Presences& seen) {
    const std::lock_guard lock(mutex_);
    for (const int rank : ranks)
      if (const auto found = seen.find(rank);
          found != seen.end() && found->second == Presence::with)
        late_.insert(rank);
  }

 private:
  std::mutex mutex_;
  std::set<int> late_;
};

}  // namespace

Presence presence_in(const std::string& mappings) {
  if (!maps_an_mpi(mappings)) return Presence::no_mpi;
  const std::string ours = std::string("/") + kOurFileNames;
  return mappings.find(ours) != std::string::npos ? presence_of(visibility_in(mappings))
                                                  : Presence::without;
}

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

std::string absence_among(UnderlyingMpi& underlying, std::span<const int> ranks, int own_rank) {
  static auto* const late = new LateRanks;  // programs may call until they have ended
  for (Patience patience(underlying);; patience.wait()) {
    const auto seen = seen_among(ranks, underlying.abi);
    if (!seen) return "";  // the agreement will hear of it: this rank cannot open the memory either
    if (std::string why = obstacle_among(ranks, own_rank, *seen); !why.empty()) return why;
    if (std::string why = blindness_among(ranks, own_rank, *seen); !why.empty()) return why;
    if (!are_here(ranks, *seen)) return kSeveralNodes;
    if (late->has_all_of(ranks, *seen)) return "";
    if (patience.is_over()) late->add(ranks, *seen);
  }
}

void look_early(UnderlyingMpi& underlying) {
  static const bool has_looked = [&underlying] {
    const int own = underlying.rank_in(underlying.world()).value_or(0);
    seen_among({&own, 1}, underlying.abi);
    return true;
  }();
  static_cast<void>(has_looked);
}

bool is_for_want_of_sight(const std::string& why) {
  return why.ends_with(kOutOfSight);
}

bool is_one_without(std::span<const int> ranks, int own_rank, Abi abi) {
  const auto seen = seen_among(ranks, abi);
  return seen && are_here(ranks, *seen) && !obstacle_among(ranks, own_rank, *seen).empty();
}

bool are_elsewhere(std::span<const int> ranks, Abi abi) {
  const auto seen = seen_among(ranks, abi);
  return seen && !are_here(ranks, *seen);
}

std::string who_is_not_told(const char* name, std::span<const int> ranks, Abi abi) {
  static auto* const known = new KnownTold;  // programs may call until they have ended
  const Launcher launcher = launcher_of_this_job(abi);
  if (launcher == Launcher::unknown) return "";
  seen_among(ranks, abi);  // this rank may be awaited by those who see all: it shows whom it sees
  const std::set<int> told = known->among(name, ranks, launcher);
  for (const int rank : ranks)
    if (told.count(rank) == 0) return "it is not set, or cannot be seen, at " + name_of(rank);
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
