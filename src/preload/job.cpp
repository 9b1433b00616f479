// SPDX-License-Identifier: BSD-3-Clause
// Reading /proc, and telling jobs, ranks and their libraries apart.
#include "preload/job.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/number.hpp"
#include "base/say.hpp"
#include "preload/chain.hpp"
#include "preload/settings.hpp"

namespace terrace::preload {

namespace {

constexpr const char* kRankVariables[] = {"PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};

/// A variable's value; "" if it is not there.
std::string_view variable_in(std::string_view environment, std::string_view name) {
  while (!environment.empty()) {
    const std::string_view entry = environment.substr(0, environment.find('\0'));
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
    environment.remove_prefix(std::min(entry.size() + 1, environment.size()));
  }
  return {};
}

/// A job, and a rank in it.
struct Place {
  std::string job;
  int rank = 0;
};

using ByNumber = std::map<std::int64_t, const SeenProcess*>;

/// The nearest process of that name that `process` descends from; "" if there is none.
std::string ancestor(const SeenProcess& process, std::string_view program, const ByNumber& all) {
  for (auto found = all.find(process.parent); found != all.end();
       found = all.find(found->second->parent))
    if (found->second->program == program) return std::to_string(found->first);
  return "";
}

std::optional<Place> place_of(const SeenProcess& process, Launcher launcher, const ByNumber& all) {
  const auto value = [&](const char* name) { return variable_in(process.environment, name); };
  std::string job;
  std::string_view rank;
  switch (launcher) {
    case Launcher::pmix:
      job = value("PMIX_NAMESPACE");
      rank = value("PMIX_RANK");
      break;
    case Launcher::hydra:
      rank = value("PMI_RANK");
      if (!rank.empty()) job = ancestor(process, "hydra_pmi_proxy", all);
      if (!job.empty() && !value("PMI_SPAWNED").empty()) job += " spawned";
      break;
    case Launcher::slurm:
      rank = value("SLURM_PROCID");
      if (!rank.empty() && !value("SLURM_STEP_ID").empty())
        job = std::string(value("SLURM_JOB_ID")) + '.' + std::string(value("SLURM_STEP_ID"));
      break;
    case Launcher::unknown:
      break;
  }
  const std::optional<int> number = number_from_text<int>(rank);
  return job.empty() || !number ? std::nullopt : std::optional(Place{job, *number});
}

Presence presence_in(const std::string& mappings) {
  const bool has_mpi = mappings.find("/libmpi") != std::string::npos ||
                       mappings.find("/libpmpi") != std::string::npos;
  if (!has_mpi) return Presence::no_mpi;
  const std::string ours = std::string("/") + kOurFileNames;
  return mappings.find(ours) != std::string::npos ? Presence::with : Presence::without;
}

/// Which namespace of a kind a process is in; 0 if we may not know.
ino_t space(const std::string& folder, const char* kind) {
  struct stat status {};
  return stat((folder + "/ns/" + kind).c_str(), &status) == 0 ? status.st_ino : 0;
}

bool is_in_our_spaces(const std::string& folder) {
  for (const char* kind : {"pid", "user"})
    if (const ino_t own = space("/proc/self", kind); own == 0 || space(folder, kind) != own)
      return false;
  return true;
}

/// "NUMBER (PROGRAM) STATE PARENT ...", where a program's name may hold anything.
void read_ancestry(const std::string& status, SeenProcess& process) {
  const std::size_t begin = status.find('('), end = status.rfind(')');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return;
  process.program = status.substr(begin + 1, end - begin - 1);
  char state = 0;
  std::istringstream(status.substr(end + 1)) >> state >> process.parent;
}

SeenProcess read_process(const std::string& folder, std::int64_t number, std::error_code& failure) {
  SeenProcess process;
  process.number = number;
  read_ancestry(contents(folder + "/stat", failure), process);
  std::string environment = contents(folder + "/environ", failure);
  const bool has_rank =
      std::any_of(std::begin(kRankVariables), std::end(kRankVariables),
                  [&](const char* name) { return !variable_in(environment, name).empty(); });
  if (!has_rank || !is_in_our_spaces(folder)) return process;
  process.environment = std::move(environment);
  process.mappings = contents(folder + "/maps", failure);
  return process;
}

std::vector<SeenProcess> all_processes(std::error_code& failure) {
  std::vector<std::int64_t> numbers;
  for (std::filesystem::directory_iterator entry("/proc", failure), end; !failure && entry != end;
       entry.increment(failure))
    if (const auto number = number_from_text<std::int64_t>(entry->path().filename().string()))
      numbers.push_back(*number);
  // Only now, so that one free file descriptor is enough for all of it.
  std::vector<SeenProcess> processes;
  for (const std::int64_t number : numbers)
    processes.push_back(read_process("/proc/" + std::to_string(number), number, failure));
  return processes;
}

/// Whether processes of the same user may read what this one maps: programs may forbid it.
bool is_readable() {
  return prctl(PR_GET_DUMPABLE) == 1;
}

/// What is known of the job so far. What a rank has mapped in MPI_Init it keeps, so only ranks that
/// were not seen, or seen without an MPI, are looked for again, unless all of the node's were
/// found.
class Job {
 public:
  /// Nothing if this process just now cannot look, though others can.
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

bool is_set(const char* name) {
  return std::getenv(name) != nullptr;
}

/// As the variables say that every rank has which these launchers start.
Launcher launcher_of_this_job(Abi abi) {
  // Before the next: an MPI may be started from within another.
  if (abi != Abi::openmpi && is_set("PMI_RANK") && is_set("MPI_LOCALNRANKS"))
    return Launcher::hydra;
  if (is_set("PMIX_NAMESPACE") && is_set("PMIX_RANK")) return Launcher::pmix;
  if (is_set("SLURM_STEP_ID") && is_set("SLURM_PROCID")) return Launcher::slurm;
  return Launcher::unknown;
}

/// By the lowest rank that has Terrace: the same sentence once per job and node is enough.
bool speaks(int own_rank, const Presences& seen) {
  const auto first = std::find_if(seen.begin(), seen.end(),
                                  [](const auto& entry) { return entry.second == Presence::with; });
  return first == seen.end() || first->first == own_rank;
}

/// Nothing if nobody can be seen.
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

std::string contents(const std::string& path, std::error_code& failure) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && (errno == EMFILE || errno == ENFILE)) failure = {errno, std::generic_category()};
  std::string text;
  char part[4096];
  for (ssize_t got = 0; file >= 0 && (got = read(file, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(got));
  if (file >= 0) close(file);
  return text;
}

Presences presences_in(std::span<const SeenProcess> processes, std::int64_t own,
                       Launcher launcher) {
  ByNumber all;
  for (const SeenProcess& process : processes) all[process.number] = &process;
  const auto self = all.find(own);
  if (self == all.end()) return {};
  const std::optional<Place> here = place_of(*self->second, launcher, all);
  Presences presences;
  for (const SeenProcess& process : processes) {
    const std::optional<Place> place = place_of(process, launcher, all);
    if (!here || !place || place->job != here->job) continue;
    Presence& presence = presences[place->rank];
    presence = std::max(presence, presence_in(process.mappings));
  }
  return presences;
}

std::set<int> ranks_told(const char* name, std::span<const SeenProcess> processes, std::int64_t own,
                         Launcher launcher) {
  ByNumber all;
  for (const SeenProcess& process : processes) all[process.number] = &process;
  const auto self = all.find(own);
  if (self == all.end()) return {};
  const std::optional<Place> here = place_of(*self->second, launcher, all);
  std::set<int> told;
  for (const SeenProcess& process : processes) {
    const std::optional<Place> place = place_of(process, launcher, all);
    const std::string value(variable_in(process.environment, name));
    if (here && place && place->job == here->job && truth_of(value) == true)
      told.insert(place->rank);
  }
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
    return text(*hidden) + " is in a container, or has its MPI linked statically";
  return are_here(ranks, *seen) ? "" : "its ranks are on several nodes or containers";
}

bool is_one_without(std::span<const int> ranks, int own_rank, Abi abi) {
  const auto seen = seen_among(ranks, abi);
  return seen && are_here(ranks, *seen) && !absence_among(ranks, own_rank, abi).empty();
}

std::string who_is_not_told(const char* name, std::span<const int> ranks, Abi abi) {
  const Launcher launcher = launcher_of_this_job(abi);
  if (launcher == Launcher::unknown) return "";
  std::error_code failure;
  const std::set<int> told = ranks_told(name, all_processes(failure), getpid(), launcher);
  for (const int rank : ranks)
    if (told.count(rank) == 0)
      return "it is not set, or cannot be seen, at rank " + std::to_string(rank) +
             " of MPI_COMM_WORLD";
  return "";
}

}  // namespace terrace::preload
