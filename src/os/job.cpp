// SPDX-License-Identifier: BSD-3-Clause
// Reads /proc, and tells jobs and ranks apart.
#include "os/job.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>

#include "base/number.hpp"

namespace terrace {

namespace {

constexpr const char* kRankVariables[] = {"PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};

/// A job, and a rank in it.
struct RankPlace {
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

std::optional<RankPlace> place_of(const SeenProcess& process, Launcher launcher,
                                  const ByNumber& all) {
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
  return job.empty() || !number ? std::nullopt : std::optional(RankPlace{job, *number});
}

/// Returns the namespace of a kind that a process is in; 0 if we may not know.
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

bool is_refused(int error) {
  return error == EACCES || error == EPERM;
}

/// Whether the kernel does not let this process look into one of the same user: at all, or only at
/// its memory (with CAP_PERFMON, memory is shown to those in a sandbox, too).
bool is_hidden(const std::string& folder, bool shows_memory) {
  struct stat status {};
  const bool shows_rest = stat((folder + "/ns/pid").c_str(), &status) == 0 || !is_refused(errno);
  return !(shows_memory && shows_rest) && stat(folder.c_str(), &status) == 0 &&
         status.st_uid == geteuid();
}

SeenProcess read_process(const std::string& folder, std::int64_t number, std::error_code& failure) {
  SeenProcess process;
  process.number = number;
  read_ancestry(contents(folder + "/stat", failure), process);
  errno = 0;
  std::string environment = contents(folder + "/environ", failure);
  process.is_hidden = is_hidden(folder, !(environment.empty() && is_refused(errno)));
  const bool has_rank =
      std::any_of(std::begin(kRankVariables), std::end(kRankVariables),
                  [&](const char* name) { return !variable_in(environment, name).empty(); });
  if (!has_rank || !is_in_our_spaces(folder)) return process;
  process.environment = std::move(environment);
  process.mappings = contents(folder + "/maps", failure);
  return process;
}

}  // namespace

std::string_view variable_in(std::string_view environment, std::string_view name) {
  while (!environment.empty()) {
    const std::string_view entry = environment.substr(0, environment.find('\0'));
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
    environment.remove_prefix(std::min(entry.size() + 1, environment.size()));
  }
  return {};
}

bool maps_an_mpi(const std::string& mappings) {
  return mappings.find("/libmpi") != std::string::npos ||
         mappings.find("/libpmpi") != std::string::npos;
}

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

std::vector<RankProcess> ranks_of_job(std::span<const SeenProcess> processes, std::int64_t own,
                                      Launcher launcher) {
  ByNumber all;
  for (const SeenProcess& process : processes) all[process.number] = &process;
  const auto self = all.find(own);
  const std::optional<RankPlace> here =
      self == all.end() ? std::nullopt : place_of(*self->second, launcher, all);
  std::vector<RankProcess> ranks;
  for (const SeenProcess& process : processes)
    if (const auto place = place_of(process, launcher, all);
        here && place && place->job == here->job)
      ranks.push_back({place->rank, &process});
  return ranks;
}

std::vector<Launcher> launchers_in(const std::function<bool(const char*)>& is_set) {
  std::vector<Launcher> launchers;
  // Before the next: an MPI may be started from within another.
  if (is_set("PMI_RANK") && is_set("MPI_LOCALNRANKS")) launchers.push_back(Launcher::hydra);
  if (is_set("PMIX_NAMESPACE") && is_set("PMIX_RANK")) launchers.push_back(Launcher::pmix);
  if (is_set("SLURM_STEP_ID") && is_set("SLURM_PROCID")) launchers.push_back(Launcher::slurm);
  return launchers;
}

}  // namespace terrace
