// SPDX-License-Identifier: BSD-3-Clause
// `terrace exec`: starts one rank of an MPI program with Terrace in it: tells the rank where it is
// on the machine, puts the right library before its MPI, and becomes the program.
#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/number.hpp"
#include "machine/machine.hpp"
#include "machine/pretend.hpp"
#include "machine/quota.hpp"
#include "verbs.hpp"

namespace {

using namespace terrace;
namespace files = std::filesystem;

struct Options {
  std::string mpi;  ///< "mpich", "openmpi", or "" to find out
  bool only_prints = false;
};

/// This rank, as whoever started it says.
struct Launch {
  Rank rank = 0;
  Rank ranks = 1;
  bool is_launched = false;
};

using Variables = std::map<std::string, std::string>;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::optional<Rank> number(const char* name) {
  return number_from_text<Rank>(variable(name));
}

/// Open MPI's mpirun, MPICH's and Intel's, Slurm's srun.
Launch launch_of_this_rank() {
  const char* const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                  {"PMI_RANK", "PMI_SIZE"},
                                  {"SLURM_PROCID", "SLURM_NTASKS"}};
  for (const auto& [rank_name, size_name] : names) {
    const auto rank = number(rank_name), ranks = number(size_name);
    if (rank && ranks && *rank < *ranks) return {*rank, *ranks, true};
  }
  return {};
}

void say_at_rank_0(const Launch& launch, const std::string& sentence) {
  if (launch.rank == 0) std::cerr << "terrace: " << sentence << '\n';
}

/// Where the shell would find the program; "" if nowhere.
std::string path_of_program(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  std::istringstream folders(variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string path = (folder.empty() ? "." : folder) + "/" + program;
    if (access(path.c_str(), X_OK) == 0 && !files::is_directory(path)) return path;
  }
  return "";
}

/// The header of a 64-bit program that needs no interpreter of another language.
std::optional<Elf64_Ehdr> header_in(std::ifstream& file) {
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  const bool is_ours = file && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                       header.e_ident[EI_CLASS] == ELFCLASS64 &&
                       header.e_phentsize == sizeof(Elf64_Phdr);
  return is_ours ? std::optional(header) : std::nullopt;
}

bool is_binary(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return header_in(file).has_value();
}

/// The dynamic loader that a 64-bit program asks for; "" for scripts and static programs.
std::string loader_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::optional<Elf64_Ehdr> header = header_in(file);
  if (!header) return "";
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    Elf64_Phdr segment{};
    file.seekg(static_cast<std::streamoff>(header->e_phoff + i * sizeof segment));
    file.read(reinterpret_cast<char*>(&segment), sizeof segment);
    if (!file || segment.p_type != PT_INTERP || segment.p_filesz > 4096) continue;
    std::string loader(segment.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    file.read(loader.data(), static_cast<std::streamsize>(loader.size()));
    return file ? loader.c_str() : "";
  }
  return "";
}

/// What a program prints; "" if it cannot be run.
std::string output_of(std::vector<std::string> command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  pid_t child = 0;
  const int failure = posix_spawn(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  char part[4096];
  for (ssize_t got = 0; failure == 0 && (got = read(ends[0], part, sizeof part)) > 0;)
    output.append(part, static_cast<std::size_t>(got));
  close(ends[0]);
  if (failure == 0) waitpid(child, nullptr, 0);
  return output;
}

/// Which of our libraries fits the MPI that a program's loader would load, its libraries' included.
std::string mpi_by_libraries(const std::string& path) {
  const std::string loader = loader_of(path);
  if (loader.empty()) return "";
  const std::string libraries = output_of({loader, "--list", path});
  for (const char* name : {"libmpi.so.12", "libmpich.so.12"})
    if (libraries.find(name) != std::string::npos) return "mpich";
  return libraries.find("libmpi.so.40") != std::string::npos ? "openmpi" : "";
}

/// Scripts and interpreters load their MPI later; but somebody's mpirun has started them.
std::string mpi_by_launcher() {
  if (!variable("OMPI_COMM_WORLD_SIZE").empty()) return "openmpi";
  if (!variable("PMI_RANK").empty() || !variable("MPI_LOCALRANKID").empty()) return "mpich";
  return "";
}

/// Beside this program, as built or as installed; "" if it is not there.
std::string path_of_library(const std::string& mpi) {
  std::error_code failure;
  const files::path prefix = files::read_symlink("/proc/self/exe", failure).parent_path() / "..";
  std::vector<files::path> folders = {prefix / "lib", prefix / "lib64"};
  for (const auto& entry : files::directory_iterator(prefix / "lib", failure))
    if (entry.is_directory(failure)) folders.push_back(entry.path());  // lib/x86_64-linux-gnu
  for (const files::path& folder : folders) {
    const files::path path = folder / ("libterrace-" + mpi + ".so");
    if (files::exists(path, failure)) return files::canonical(path, failure).string();
  }
  return "";
}

/// Where this rank is. A wrong variable of the user's ends the program; a machine that cannot be
/// read only makes the hierarchy flat.
void add_place(Variables& variables, const Launch& launch) {
  const Environment environment = process_environment();
  const Result<Locality> locality = locality_of_rank(environment, launch.rank, launch.ranks);
  if (locality) {
    variables["TERRACE_LOCALITY"] = to_text(locality.value());
  } else if (locality.error().code == ErrorCode::argument) {
    throw CLI::ValidationError("terrace exec", locality.error().sentence);
  } else {
    say_at_rank_0(launch, locality.error().sentence + "; running without knowing the machine");
  }
  // PUs that are only pretended run nothing.
  if (const auto machine = read_this_machine())
    variables["TERRACE_PUS"] =
        std::to_string(usable_pus(machine.value().allowed.count(), cpu_quota()));
}

void add_library(Variables& variables, const std::string& mpi) {
  const std::string path = path_of_library(mpi);
  if (path.empty())
    throw CLI::RuntimeError("terrace exec: libterrace-" + mpi +
                                ".so is not beside this program; was it built and installed?",
                            1);
  const std::string others = variable("LD_PRELOAD");
  variables["LD_PRELOAD"] = others.empty() ? path : path + ":" + others;
}

/// What the user says, the program shows, or the launcher lets guess; "" if nobody tells.
std::string mpi_of(const std::string& program, const Options& options) {
  const std::string linked = program.empty() ? "" : mpi_by_libraries(program);
  if (!options.mpi.empty() && !linked.empty() && linked != options.mpi)
    throw CLI::ValidationError("terrace exec", "--mpi " + options.mpi + " given, but \"" + program +
                                                   "\" is linked to the library of " + linked +
                                                   ": leave --mpi out");
  return !options.mpi.empty() ? options.mpi : !linked.empty() ? linked : mpi_by_launcher();
}

/// Why a report will not come, for whoever has asked for one: half a sentence, "" if it will.
std::string obstacle_in(const std::string& program) {
  if (!is_binary(program)) return "";
  if (loader_of(program).empty())
    return "is linked statically, so nothing can stand before its MPI";
  if (mpi_by_libraries(program).empty())
    return "is not linked to an MPI that we know: if it loads none later, there is nothing to do";
  return "";
}

void say_obstacle(const std::string& program, const Launch& launch) {
  const std::string report = variable("TERRACE_REPORT");
  const std::string obstacle = report.empty() || report == "0" ? "" : obstacle_in(program);
  if (!obstacle.empty()) say_at_rank_0(launch, "\"" + program + "\" " + obstacle);
}

Variables variables_for(const std::string& program, const Options& options, const Launch& launch) {
  const std::string mpi = mpi_of(program, options);
  if (mpi.empty() && options.only_prints)
    throw CLI::ValidationError("terrace exec",
                               "cannot tell for which MPI to print the settings: name a program "
                               "that is linked to it, or say --mpi mpich or --mpi openmpi");
  if (mpi.empty() && launch.is_launched)
    say_at_rank_0(launch,
                  "cannot tell which MPI this program uses, so it runs without Terrace; "
                  "--mpi mpich or --mpi openmpi would say");
  if (!program.empty()) say_obstacle(program, launch);
  Variables variables;
  if (mpi.empty()) return variables;
  add_library(variables, mpi);
  add_place(variables, launch);
  return variables;
}

std::string quoted(const std::string& value) {
  std::string text = "'";
  for (const char c : value) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

void print(const Variables& variables, const Launch& launch) {
  for (const auto& [name, value] : variables)
    if (name != "TERRACE_LOCALITY" || launch.is_launched)
      std::cout << "export " << name << '=' << quoted(value) << '\n';
  if (!launch.is_launched)
    std::cout << "# TERRACE_LOCALITY differs from rank to rank: only `terrace exec` sets it\n";
}

/// Why the system found nothing although the file is there: a script's first line names what is to
/// run it. "" if it names none.
std::string interpreter_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line(256, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  if (!line.starts_with("#!")) return "";
  const std::size_t first = line.find_first_not_of(" \t", 2);
  return first == line.npos ? "" : line.substr(first, line.find_first_of(" \t\r\n", first) - first);
}

std::string reason_of(int error, const std::string& path) {
  const std::string interpreter = error == ENOENT ? interpreter_of(path) : "";
  if (interpreter.empty()) return std::strerror(error);
  return "its first line asks for \"" + interpreter + "\", which is not there";
}

/// Becomes the program. Returns only by throwing, with the status that shells give.
void become(const std::string& path, std::vector<std::string> command) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  execv(path.c_str(), words.data());
  const int error = errno;
  throw CLI::RuntimeError(
      "terrace exec: cannot run \"" + command[0] + "\": " + reason_of(error, path),
      error == ENOENT ? 127 : 126);
}

void exec(const Options& options, const std::vector<std::string>& command) {
  if (command.empty() && !options.only_prints)
    throw CLI::ValidationError("terrace exec",
                               "expected a program to run, as in `mpirun -n 4 terrace exec ./app`");
  const std::string path = command.empty() ? "" : path_of_program(command[0]);
  if (!command.empty() && path.empty())
    throw CLI::RuntimeError("terrace exec: no program \"" + command[0] + "\" on the PATH", 127);
  const Launch launch = launch_of_this_rank();
  const Variables variables = variables_for(path, options, launch);
  if (options.only_prints) return print(variables, launch);
  if (const std::string pretence = announcement_of(process_environment());
      !pretence.empty() && launch.rank == 0)
    std::cerr << pretence << '\n';
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  become(path, command);
}

constexpr const char* kFooter = R"text(
Examples:
  mpirun -n 4 terrace exec ./app input       C, C++, Fortran: looks at which MPI ./app is linked to
  srun -n 64 terrace exec python3 app.py     mpi4py: looks at which launcher started it
  eval "$(terrace exec --print-env ./app)"   in a job script: sets what does not differ by rank

Variables:
  TERRACE=off                the program's MPI does everything, as without Terrace
  TERRACE_OFF=bcast,reduce   ... does these collectives (barrier, bcast, reduce, allreduce)
  TERRACE_OFF_COMMUNICATORS=MPI_COMM_WORLD,solver   ... on communicators with these names
  TERRACE_REPORT=1           say at the end what ran, what was handed to the MPI, and why
  TERRACE_REPRODUCIBLE=1     the same bits of sums wherever the same number of ranks runs
  TERRACE_CHECK=1            run the MPI's collectives as well and compare the results
  TERRACE_PLAN=FILE          run this plan, if it fits (see `terrace plan`)
  TERRACE_MACHINE, TERRACE_NODES, TERRACE_BIND   pretend (see `terrace machine`). TERRACE_NODES
                             changes which ranks count as near each other, not who shares memory

Exit status: the program's; 2 for a wrong argument, 126 and 127 if the program cannot be run or
found, 1 if Terrace's own library is missing.
)text";

/// CLI11 does not know of the program's words.
struct Formatter : CLI::Formatter {
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: terrace exec [OPTIONS] [--] PROGRAM [ARGUMENTS]\n";
  }
};

}  // namespace

void add_exec_verb(CLI::App& app, const std::vector<std::string>& command) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("exec", "Run one rank of an MPI program with Terrace in it");
  verb->add_option("--mpi", options->mpi, "The program's MPI; else found out")
      ->check(CLI::IsMember({"mpich", "openmpi"}));
  verb->add_flag("--print-env", options->only_prints,
                 "Print the settings instead, for job scripts");
  verb->formatter(std::make_shared<Formatter>());
  verb->footer(kFooter);
  verb->callback([command, options] { exec(*options, command); });
}
