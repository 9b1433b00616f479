// SPDX-License-Identifier: BSD-3-Clause
// Reads the launchers' variables, and looks for the launcher among the processes above this one.
#include "launcher/process/outer_launcher.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "base/number.hpp"
#include "base/switch.hpp"

namespace terrace {

namespace {

namespace files = std::filesystem;

constexpr int kMostProcesses = 1 << 20;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::optional<int> number(const char* name) {
  return number_from_text<int>(variable(name), 0, kMostProcesses);
}

/// The process's number and how many there are. Slurm's are those of a step: a batch script, which
/// is no step, has the same variables of a job.
std::optional<int> processes_of(const char* number_name, const char* count_name) {
  const auto own = number(number_name), count = number(count_name);
  return own && count && *own < *count ? count : std::nullopt;
}

int first_set(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names)
    if (const auto value = number(name)) return *value;
  return otherwise;
}

/// The number of the process that started this one; 0: unknown.
int parent_of(int process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;)
    if (int parent = 0; word == "PPid:" && status >> parent) return parent;
  return 0;
}

bool is_launcher(std::string_view name) {
  for (const char* part : {"hydra", "mpiexec", "mpirun", "orted", "orterun", "prte", "prun"})
    if (name.find(part) != name.npos) return true;
  return false;
}

/// The folders of installations: of the launchers above this process, of variables that name one,
/// and of the launcher that a user would call.
std::vector<std::string> installations() {
  std::vector<std::string> found;
  constexpr int kMostAbove = 16;
  int process = getppid();
  for (int above = 0; above < kMostAbove && process > 1; ++above, process = parent_of(process)) {
    std::error_code failure;
    const files::path program =
        files::read_symlink("/proc/" + std::to_string(process) + "/exe", failure);
    if (is_launcher(program.filename().string()))
      found.push_back(program.parent_path().parent_path().string());
  }
  for (const char* name : {"OPAL_PREFIX", "I_MPI_ROOT", "MPI_HOME", "MPI_ROOT"})
    if (!variable(name).empty()) found.push_back(variable(name));
  std::istringstream folders(variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code failure;
    const files::path program = files::canonical(folder + "/mpiexec", failure);
    if (!failure) found.push_back(program.parent_path().parent_path().string());
  }
  return found;
}

void add_libraries_in(const std::string& installation, bool is_open_mpi,
                      std::vector<std::string>& paths) {
  static const char* const kFolders[] = {"lib",
                                         "lib64",
                                         "lib/release",
                                         "lib/x86_64-linux-gnu",
                                         "lib/aarch64-linux-gnu",
                                         "lib64/openmpi/lib",
                                         "lib64/mpich/lib"};
  const std::vector<std::string> names =
      is_open_mpi ? std::vector<std::string>{"libmpi.so.40"}
                  : std::vector<std::string>{"libmpi.so.12", "libmpich.so.12"};
  for (const char* folder : kFolders)
    for (const std::string& name : names) {
      const std::string path = installation + "/" + folder + "/" + name;
      std::error_code failure;
      if (files::exists(path, failure) &&
          std::find(paths.begin(), paths.end(), path) == paths.end())
        paths.push_back(path);
    }
}

}  // namespace

OuterLauncher outer_launcher() {
  OuterLauncher launcher;
  if (switch_in_environment("TERRACE_ACROSS_NODES") == false) return launcher;
  if (const auto count = processes_of("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")) {
    launcher.processes = *count;
    launcher.is_open_mpi = true;
  } else if (const auto hydras = processes_of("PMI_RANK", "PMI_SIZE")) {
    launcher.processes = *hydras;
  } else if (const auto slurms = processes_of("SLURM_PROCID", "SLURM_STEP_NUM_TASKS")) {
    launcher.processes = *slurms;
    launcher.is_open_mpi = !variable("PMIX_RANK").empty();
  }
  // Slurm says it in words; as many on each node is what it does if it is not told otherwise.
  const int nodes = std::max(1, first_set({"SLURM_STEP_NUM_NODES"}, launcher.processes));
  launcher.processes_here = std::max(1, first_set({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"},
                                                  (launcher.processes + nodes - 1) / nodes));
  launcher.number_here =
      first_set({"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}, 0);
  if (launcher.number_here >= launcher.processes_here)
    launcher.processes_here = launcher.number_here + 1;
  return launcher;
}

std::vector<std::string> mpi_candidates(const OuterLauncher& launcher, const std::string& over) {
  std::vector<std::string> paths;
  std::error_code failure;
  if (!over.empty() && !files::is_directory(over, failure)) return {over};
  const std::vector<std::string> places =
      over.empty() ? installations() : std::vector<std::string>{over};
  for (const std::string& installation : places)
    add_libraries_in(installation, launcher.is_open_mpi, paths);
  // MPICH can be started by what tells as Open MPI's launcher does, and the other way round.
  for (const std::string& installation : places)
    add_libraries_in(installation, !launcher.is_open_mpi, paths);
  return paths;
}

}  // namespace terrace
