// SPDX-License-Identifier: BSD-3-Clause
// Finds the processes of this node that are ranks of one job in /proc, without any MPI: for the
// preload, which must know which ranks can take part in team set-up, and for the command.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace terrace {

/// The launcher of the ranks; decides how a process shows its job and its rank.
enum class Launcher : std::uint8_t {
  unknown,
  pmix,   ///< Open MPI 4 and 5, and srun --mpi=pmix: PMIX_NAMESPACE and PMIX_RANK
  hydra,  ///< MPICH's and Intel's: PMI_RANK, below one hydra_pmi_proxy per job and node. There
          ///< MPICH 5 also puts what the job spawns, with PMI_SPAWNED: two such jobs look like one
  slurm,  ///< srun: SLURM_JOB_ID, SLURM_STEP_ID and SLURM_PROCID
};

struct SeenProcess {
  std::int64_t number = 0;
  std::int64_t parent = 0;
  std::string program;      ///< its name, cut to 15 characters by the kernel
  std::string environment;  ///< as it started: NAME=value, with a null character after each
  std::string mappings;     ///< the files that it has mapped, one per line
  /// Whether the kernel does not let this process look into it although it is this user's, since
  /// this process has fewer capabilities, or is in a sandbox.
  bool is_hidden = false;
};

/// A process of a rank; a rank may have several, such as a shell around the program.
struct RankProcess {
  int rank = 0;
  const SeenProcess* process = nullptr;
};

/// All processes. Those that are no ranks, or lie in other namespaces, come without environment and
/// mappings. `failure` is set only if what is missing says nothing of the processes: no file
/// descriptor is left, or there is no /proc.
std::vector<SeenProcess> all_processes(std::error_code& failure);

/// Selects the ranks of the job that process `own` belongs to; empty if that cannot be told.
std::vector<RankProcess> ranks_of_job(std::span<const SeenProcess> processes, std::int64_t own,
                                      Launcher launcher);

/// The launchers whose variables are set, as every rank has them which these start; several where
/// one was called from within a job of another.
std::vector<Launcher> launchers_in(const std::function<bool(const char* name)>& is_set);

/// A variable's value in a process's environment; "" if it is not there.
std::string_view variable_in(std::string_view environment, std::string_view name);

bool maps_an_mpi(const std::string& mappings);

/// A file's bytes; "" if it cannot be read, with the reason in errno. `failure` is set only if that
/// says nothing of the file: this process, or the system, has no file descriptor left.
std::string contents(const std::string& path, std::error_code& failure);

}  // namespace terrace
