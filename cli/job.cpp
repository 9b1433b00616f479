// SPDX-License-Identifier: BSD-3-Clause
// Finds the ranks of a job, and waits until all are there. See job.hpp.
#include "job.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string_view>
#include <thread>

#include "base/number.hpp"
#include "base/ticks.hpp"
#include "communicators/layers.hpp"
#include "os/binding.hpp"
#include "os/job.hpp"

namespace terrace {

namespace {

using Processes = std::vector<const SeenProcess*>;

// Ranks that wait for each other show it by their names, which /proc shows of all: the others see
// that rank 0 asks, and only then show that they are here; rank 0 asks until all have. So each has
// been seen before rank 0 is gone, in whatever order they start.
constexpr const char* kAsks = "terrace asks";
constexpr const char* kIsHere = "terrace is here";
constexpr std::chrono::seconds kPatience{20};      ///< of rank 0, for the others
constexpr std::chrono::seconds kMorePatience{30};  ///< of the others, for rank 0
constexpr std::chrono::seconds kMoment{1};
constexpr std::chrono::milliseconds kPause{20};
constexpr Rank kMostJobRanks = 1'000'000;

struct Job {
  std::vector<SeenProcess> processes;
  std::int64_t member = 0;  ///< the process of a rank
  Launcher launcher = Launcher::unknown;
  std::map<int, Processes> ranks;
};

std::vector<Launcher> launchers_of(const SeenProcess& process) {
  return launchers_in(
      [&](const char* name) { return !variable_in(process.environment, name).empty(); });
}

bool is_below(const SeenProcess& process, std::int64_t number, const Job& job) {
  std::int64_t above = process.parent;
  for (std::size_t steps = 0; above != number && steps < job.processes.size(); ++steps) {
    const auto found = std::find_if(job.processes.begin(), job.processes.end(),
                                    [&](const SeenProcess& one) { return one.number == above; });
    if (found == job.processes.end()) return false;
    above = found->parent;
  }
  return above == number;
}

/// Finds process `number`, or the first below it that is a rank; nothing if none is.
const SeenProcess* member_at(std::int64_t number, const Job& job) {
  const SeenProcess* first = nullptr;
  for (const SeenProcess& process : job.processes) {
    if (launchers_of(process).empty()) continue;
    if (process.number == number) return &process;
    if (first == nullptr && is_below(process, number, job)) first = &process;
  }
  return first;
}

/// The job with that process in it; without ranks if it is in none.
Job see(std::int64_t number, const Verb& verb) {
  Job job;
  std::error_code failure;
  job.processes = all_processes(failure);
  if (job.processes.empty())
    verb.fail("/proc shows no processes; " + std::string(kSayHowRanksAreBound));
  const SeenProcess* const member = member_at(number, job);
  if (member == nullptr) return job;
  const std::vector<Launcher> launchers = launchers_of(*member);
  // Where Hydra's and Open MPI's variables are both there, those of the outer job are the same at
  // all ranks of the inner one; which is the outer they do not say.
  if (launchers.size() > 1 && launchers[0] == Launcher::hydra && launchers[1] == Launcher::pmix)
    verb.fail("process " + std::to_string(member->number) +
              " was started by one MPI's launcher from within a job of another's, so that "
              "its rank cannot be told; " +
              kSayHowRanksAreBound);
  job.member = member->number;
  job.launcher = launchers.front();
  for (const auto& [rank, process] : ranks_of_job(job.processes, job.member, job.launcher))
    job.ranks[rank].push_back(process);
  return job;
}

std::string_view variable_of(const Job& job, const char* name) {
  for (const SeenProcess& process : job.processes)
    if (process.number == job.member) return variable_in(process.environment, name);
  return {};
}

std::optional<Rank> number_at(const Job& job, const char* name) {
  return number_from_text<Rank>(variable_of(job, name), 1, kMostJobRanks);
}

/// Returns the number of ranks as the launcher says.
Rank rank_count(const Job& job, const Verb& verb) {
  std::optional<Rank> count;
  if (job.launcher == Launcher::hydra) count = number_at(job, "PMI_SIZE");
  if (job.launcher == Launcher::pmix) count = number_at(job, "OMPI_COMM_WORLD_SIZE");
  if (!count && job.launcher != Launcher::hydra) count = number_at(job, "SLURM_NTASKS");
  if (!count)
    verb.fail("the job's launcher does not tell the number of ranks; " +
              std::string(kSayHowRanksAreBound));
  return *count;
}

/// Whether the launcher says that the job has ranks on other nodes.
bool is_on_several_nodes(const Job& job, Rank count) {
  const std::optional<Rank> here = number_at(
      job, job.launcher == Launcher::hydra ? "MPI_LOCALNRANKS" : "OMPI_COMM_WORLD_LOCAL_SIZE");
  // srun may start ranks in the way of each of the launchers.
  return here ? *here < count : number_at(job, "SLURM_STEP_NUM_NODES").value_or(1) > 1;
}

/// The outermost that has loaded an MPI, as a program may start others; or, if none has, the
/// innermost, as shells and `taskset` start programs. Of several the lowest number.
const SeenProcess* program_of(const Processes& processes) {
  const auto is_parent = [](const SeenProcess* parent, const SeenProcess* child) {
    return child->parent == parent->number;
  };
  Processes with_mpi;
  for (const SeenProcess* process : processes)
    if (maps_an_mpi(process->mappings)) with_mpi.push_back(process);
  for (const SeenProcess* process : with_mpi)
    if (std::none_of(with_mpi.begin(), with_mpi.end(),
                     [&](const SeenProcess* other) { return is_parent(other, process); }))
      return process;
  for (const SeenProcess* process : processes)
    if (std::none_of(processes.begin(), processes.end(),
                     [&](const SeenProcess* other) { return is_parent(process, other); }))
      return process;
  return processes.front();
}

/// "rank 2", "ranks 1-3 5".
std::string text_of(const std::vector<Rank>& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + communicators::ranks_text(ranks);
}

template <class Predicate>
std::vector<Rank> ranks_without(const Job& job, Rank count, const Predicate& holds) {
  std::vector<Rank> without;
  for (Rank rank = 0; rank < count; ++rank) {
    const auto found = job.ranks.find(static_cast<int>(rank));
    if (found == job.ranks.end() || !holds(found->second)) without.push_back(rank);
  }
  return without;
}

std::vector<Rank> unseen_of(const Job& job, Rank count) {
  return ranks_without(job, count, [](const Processes&) { return true; });
}

/// Returns the binding of a rank's program. What a shell has started may have ended since it was
/// seen; then the shell counts.
Result<PuSet> binding_of_rank(Processes processes) {
  while (true) {
    const SeenProcess* const process = program_of(processes);
    const Result<PuSet> binding = binding_of_process(process->number);
    std::erase(processes, process);
    if (binding || processes.empty()) return binding;
  }
}

std::vector<Locality> localities_in(const Job& job, const Machine& machine, const Verb& verb) {
  const Rank count = rank_count(job, verb);
  const std::vector<Rank> unseen = unseen_of(job, count);
  if (!unseen.empty())
    verb.fail(text_of(unseen) + " of the job's " + std::to_string(count) +
              " cannot be seen from here: on another node, in a container, or ended; " +
              kSayHowRanksAreBound);
  std::vector<Locality> localities;
  for (Rank rank = 0; rank < count; ++rank) {
    const Result<PuSet> binding = binding_of_rank(job.ranks.at(static_cast<int>(rank)));
    if (!binding) verb.fail("rank " + std::to_string(rank) + ": " + binding.error().sentence);
    localities.push_back(locality_of(machine, binding.value(), 0));
  }
  return localities;
}

bool has_name(const Processes& processes, const char* name) {
  return std::any_of(processes.begin(), processes.end(),
                     [&](const SeenProcess* process) { return process->program == name; });
}

/// Whether the others have come to what rank 0 waits for, as wrappers bind a rank before its
/// program starts.
bool is_settled(const Processes& processes) {
  return has_name(processes, kAsks) || has_name(processes, kIsHere) ||
         std::any_of(processes.begin(), processes.end(),
                     [](const SeenProcess* process) { return maps_an_mpi(process->mappings); });
}

/// Looks again and again at the job with this process until `holds` is true of it; false if that
/// took too long.
template <class Predicate>
bool look_until(Job& job, std::int64_t member, std::chrono::seconds patience, const Verb& verb,
                const Predicate& holds) {
  const auto end = KernelClock::now() + patience;
  while (!holds(job)) {
    if (KernelClock::now() > end) return false;
    std::this_thread::sleep_for(kPause);
    job = see(member, verb);
  }
  return true;
}

std::vector<Locality> ask(Job& job, const Machine& machine, Rank count, const Verb& verb) {
  prctl(PR_SET_NAME, kAsks);
  job = see(getpid(), verb);
  const auto absent = [&](const Job& now) { return ranks_without(now, count, is_settled); };
  if (!look_until(job, getpid(), kPatience, verb,
                  [&](const Job& now) { return absent(now).empty(); }))
    verb.fail("it waited " + std::to_string(kPatience.count()) + " s for " + text_of(absent(job)) +
              " of this job of " + std::to_string(count) +
              ", which started neither `terrace hierarchy` nor an MPI program that is visible from "
              "here; " +
              kSayHowRanksAreBound);
  return localities_in(job, machine, verb);
}

void let_be_seen(Job& job, const Verb& verb) {
  const auto asks = [](const Job& now) {
    const auto found = now.ranks.find(0);
    return found != now.ranks.end() && has_name(found->second, kAsks);
  };
  if (!look_until(job, getpid(), kMorePatience, verb, asks))
    verb.fail("it waited " + std::to_string(kMorePatience.count()) +
              " s for rank 0 of this job, which is to print, and did not start `terrace "
              "hierarchy`; another process is asked by --job PID");
  prctl(PR_SET_NAME, kIsHere);
  look_until(job, getpid(), kMorePatience, verb, [&](const Job& now) { return !asks(now); });
}

Job see_own(const Verb& verb) {
  Job job = see(getpid(), verb);
  if (job.ranks.empty() || job.member != getpid())
    verb.fail(std::string("/proc does not show which job this process belongs to; ") +
              kSayHowRanksAreBound);
  return job;
}

int own_rank(const Job& job) {
  for (const auto& [rank, processes] : job.ranks)
    for (const SeenProcess* process : processes)
      if (process->number == job.member) return rank;
  return 0;
}

}  // namespace

std::vector<Locality> localities_of_job(const Machine& machine, std::int64_t number,
                                        const Verb& verb) {
  Job job = see(number, verb);
  if (job.ranks.empty())
    verb.fail("process " + std::to_string(number) +
              " is no rank of a job, and no visible process below it is: expected a process that "
              "an MPI's launcher or srun started here, for this user");
  // A process that is just becoming another program shows no variables.
  const Rank count = rank_count(job, verb);
  look_until(job, number, kMoment, verb,
             [&](const Job& now) { return now.ranks.empty() || unseen_of(now, count).empty(); });
  if (job.ranks.empty()) verb.fail("the job of process " + std::to_string(number) + " has ended");
  return localities_in(job, machine, verb);
}

bool is_in_a_job() {
  return !launchers_in([](const char* name) { return std::getenv(name) != nullptr; }).empty();
}

bool is_on_several_nodes(const Verb& verb) {
  const Job job = see_own(verb);
  return is_on_several_nodes(job, rank_count(job, verb));
}

std::optional<std::vector<Locality>> localities_of_this_job(const Machine& machine,
                                                            const Verb& verb) {
  Job job = see_own(verb);
  const Rank count = rank_count(job, verb);
  if (own_rank(job) == 0) return ask(job, machine, count, verb);
  let_be_seen(job, verb);
  return std::nullopt;
}

}  // namespace terrace
