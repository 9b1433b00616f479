// SPDX-License-Identifier: BSD-3-Clause
// `terrace exec`: starts one rank of an MPI program with Terrace preloaded: tells the rank where it
// is on the machine, preloads the right library, and becomes the program.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
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

#include "base/own_program.hpp"
#include "base/say.hpp"
#include "base/switch.hpp"
#include "launch.hpp"
#include "machine/machine.hpp"
#include "machine/pretend.hpp"
#include "mpi_of_program.hpp"
#include "os/quota.hpp"
#include "preloading.hpp"
#include "subcommands.hpp"
#include "usage.hpp"

namespace exec_verb {
namespace {

using namespace terrace;
namespace files = std::filesystem;

struct Options {
  std::string mpi;  ///< "mpich", "openmpi", "standard", or "" to find out
  bool only_prints = false;
  bool shares_heap = false;
};

using Variables = std::map<std::string, std::string>;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

void say_at_rank_0(const Launch& launch, const std::string& sentence) {
  if (launch.rank == 0) std::cerr << "terrace: " << sentence << '\n';
}

/// Adds the variables that say where this rank is. A wrong variable of the user's ends the program;
/// a machine that cannot be read only makes the hierarchy flat.
void add_place(Variables& variables, const Launch& launch) {
  const Environment environment = process_environment();
  const Result<Machine> machine = machine_of(environment);
  const Result<Locality> locality =
      machine ? locality_of_rank(machine.value(), environment, launch.rank, launch.ranks)
              : machine.error();
  if (locality) {
    variables["TERRACE_LOCALITY"] = to_text(locality.value());
  } else if (locality.error().code == ErrorCode::argument) {
    throw CLI::ValidationError("terrace exec", locality.error().sentence);
  } else {
    say_at_rank_0(launch, locality.error().sentence + "; running without knowing the machine");
  }
  // PUs that are only pretended run nothing. Reading a machine takes milliseconds.
  const bool is_this_machine = machine && machine.value().is_this_machine;
  if (const Result<Machine> here = is_this_machine ? machine : read_this_machine())
    variables["TERRACE_PUS"] =
        std::to_string(usable_pus(here.value().allowed.count(), cpu_quota()));
}

/// Returns the preloads that a job inherits which is started within another, without our libraries
/// in them: two would stand before the MPI, or before malloc.
std::string preloads_of_others() {
  std::string words = variable("LD_PRELOAD"), kept;
  std::replace(words.begin(), words.end(), ' ', ':');
  std::istringstream libraries(words);
  for (std::string path; std::getline(libraries, path, ':');)
    if (!path.empty() && !files::path(path).filename().string().starts_with("libterrace-"))
      kept += ':' + path;
  return kept;
}

std::string expected_library(const std::string& name) {
  const std::string path = path_of_library(name);
  const std::string prefix = own_prefix();
  const std::string place = prefix.empty() ? ", whose own place neither /proc nor the kernel tells"
                                           : ", below '" + prefix + "'";
  if (path.empty())
    throw CLI::RuntimeError("terrace exec: " + name + " is not beside this program" + place +
                                "; was it built and installed?",
                            1);
  const Result<std::string> preloadable = path_for_preload(path);
  if (!preloadable) throw CLI::RuntimeError("terrace exec: " + preloadable.error().sentence, 1);
  return preloadable.value();
}

/// Whether the option or the variable asks for it; the library reads the variable's value: "1", or
/// a number of bytes.
bool wants_shared_heap(const Options& options) {
  const std::string value = variable("TERRACE_SHARED_HEAP");
  return options.shares_heap || (!value.empty() && switch_from_text(value).value_or(true));
}

void add_libraries(Variables& variables, const std::string& library, const Options& options) {
  std::string list = expected_library(library);
  if (wants_shared_heap(options)) {
    list += ':' + expected_library("libterrace-heap.so");
    if (variable("TERRACE_SHARED_HEAP").empty()) variables["TERRACE_SHARED_HEAP"] = "1";
  }
  variables["LD_PRELOAD"] = list + preloads_of_others();
}

/// The library that has what the program's MPI has, and nothing else: persistent collectives, and
/// functions with large counts. For a script or an interpreter the MPI is not known yet, but the
/// launcher is often the MPI's.
std::string library_for(const LinkedMpi& linked, const Options& options) {
  constexpr const char* kLarge = "libterrace-mpi-large.so";
  constexpr const char* kPlain = "libterrace-mpi.so";
  std::string library = linked.library.empty() ? library_of_mpis_launcher() : linked.library;
  const bool is_openmpis = library.ends_with("libmpi.so.40");
  if (!options.mpi.empty() && (options.mpi == "openmpi") != is_openmpis) library.clear();
  if (library.empty()) return options.mpi.empty() || options.mpi == "openmpi" ? kPlain : kLarge;
  if (defines_large_counts(library)) return kLarge;
  return defines_persistent_collectives(library) ? "libterrace-mpi-persistent.so" : kPlain;
}

void expect_no_other_mpi(const std::string& program, const LinkedMpi& linked,
                         const std::string& wanted) {
  if (!wanted.empty() && !linked.abi.empty() && linked.abi != wanted)
    throw CLI::ValidationError("terrace exec", "--mpi " + wanted + " given, but \"" + program +
                                                   "\" is linked to the library of " + linked.abi +
                                                   ": leave --mpi out");
}

/// Why the report that the user asked for will not appear: half a sentence; "" if it will.
std::string obstacle_in(const std::string& program) {
  if (const std::string why = obstacle_to_looking(); !why.empty())
    return "cannot be looked into (" + why + "), so its MPI is not known; raise `ulimit -n`";
  if (!is_binary(program)) return "";
  if (!is_dynamic(program)) return "is linked statically, so nothing can stand before its MPI";
  if (mpi_linked_to(program).abi.empty())
    return "is not linked to an MPI that we know: if it loads none later, there is nothing to do";
  return "";
}

/// Whether it is the first rank of its program: Open MPI's launcher tells where in a job of several
/// programs each begins. Under others, the ranks that have Terrace name those that have not.
bool is_first_of_program(const Launch& launch) {
  std::istringstream firsts(variable("OMPI_FIRST_RANKS"));
  for (Rank rank = 0; firsts >> rank;)
    if (rank == launch.rank) return true;
  return launch.rank == 0;
}

/// Says that Terrace is lost, also where no report is wanted: nothing else would tell.
void say_loss(const std::string& program, const Launch& launch) {
  const std::string loss = loss_of_preload(program);
  if (loss.empty() || !is_first_of_program(launch)) return;
  const bool is_reproducible = switch_in_environment("TERRACE_REPRODUCIBLE") == true;
  say("\"" + program + "\" " + loss +
      ", so the loader ignores LD_PRELOAD, and it runs without Terrace" +
      (is_reproducible ? ": TERRACE_REPRODUCIBLE=1 has no effect on it" : ""));
}

void say_obstacle(const std::string& program, const Launch& launch) {
  const std::string report = variable("TERRACE_REPORT");
  const std::string obstacle = report.empty() || report == "0" ? "" : obstacle_in(program);
  if (!obstacle.empty()) say_at_rank_0(launch, "\"" + program + "\" " + obstacle);
}

Variables variables_for(const std::string& program, const Options& options, const Launch& launch) {
  const LinkedMpi linked = program.empty() ? LinkedMpi{} : mpi_linked_to(program);
  expect_no_other_mpi(program, linked, options.mpi);
  if (!program.empty()) say_loss(program, launch);
  if (!program.empty()) say_obstacle(program, launch);
  Variables variables;
  add_libraries(variables, library_for(linked, options), options);
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
/// run it.
std::string reason_of(int error, const std::string& path) {
  const std::string interpreter = error == ENOENT ? interpreter_of(path) : "";
  if (interpreter.empty()) return std::strerror(error);
  return "its first line asks for \"" + interpreter + "\", which does not exist";
}

/// Returns only if it fails.
void replace_process(const std::string& path, std::vector<std::string> command) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  execv(path.c_str(), words.data());
}

/// Shells and launchers give what the system does not know to sh, so scripts often do not say that
/// they are for it. Programs of other machines are not text.
bool is_for_a_shell(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string beginning(256, '\n');
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  return beginning.find('\0') == beginning.npos && !beginning.starts_with("\177ELF");
}

/// Becomes the program. Returns only by throwing, with the status that shells give.
void become(const std::string& path, std::vector<std::string> command) {
  replace_process(path, command);
  int error = errno;
  if (error == ENOEXEC && is_for_a_shell(path)) {
    std::vector<std::string> script = {"sh", path};
    script.insert(script.end(), command.begin() + 1, command.end());
    replace_process("/bin/sh", std::move(script));
    error = errno;
  }
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
  // Of a launch around this one; they would stay if the machine cannot be read.
  for (const char* name : {"TERRACE_LOCALITY", "TERRACE_PUS"}) unsetenv(name);
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  become(path, command);
}

constexpr const char* kFooter = R"text(
Examples:
  mpirun -n 4 terrace exec ./app input       C, C++, Fortran
  mpirun -n 4 terrace exec sh job.sh         ... also behind scripts, env, numactl, taskset
  srun -n 64 terrace exec --mpi mpich python3 app.py   mpi4py under MPICH or Intel MPI, which calls
                             functions that not all MPIs have. Their own mpirun needs no --mpi
  eval "$(terrace exec --print-env ./app)"   in a job script: sets the variables that are equal
                             on all ranks

Variables:
  TERRACE=off                the program's MPI does everything, as without Terrace
  TERRACE_OFF=bcast,reduce   ... does these collectives (barrier, bcast, reduce, allreduce)
  TERRACE_OFF_COMMUNICATORS=MPI_COMM_WORLD,solver   ... on communicators with these names
  TERRACE_REPORT=1           say at the end what ran, what fell back to the MPI, and why
  TERRACE_REPRODUCIBLE=1     sums with the same bits wherever the same number of ranks runs
  TERRACE_CHECK=1            run the MPI's collectives as well and compare the results
  TERRACE_MEASURE=off        choose by assumed costs instead of measuring the machine
  TERRACE_PLAN=FILE          run this plan, if it fits, or the algorithm of this name (see
                             `terrace plan`)
  TERRACE_TRIALS=off         do not compare ways to run calls in the program's own calls; sums: let
                             trials may also let sums fall back to the MPI, with other last bits
  TERRACE_TUNING=FILE        take this tuning instead of the machine's own; off: none (see
                             `terrace tune`)
  TERRACE_PROGRESS=8-15      go on with nonblocking calls while the program computes, by a thread
                             of each rank on these PUs, which should be idle; on: on the rank's own
  TERRACE_REACH=auto         how long vectors reach other ranks: bounced (through shared memory),
                             pulled (by the kernel), auto (the faster of these two, as
                             measured), attached (in place, by XPMEM)
  TERRACE_SHARED_HEAP=1      the same as --shared-heap; =BYTES: blocks of at least that many bytes
  TERRACE_MACHINE, TERRACE_NODES, TERRACE_BIND   pretend (see `terrace machine`). TERRACE_NODES
                             changes which ranks count as near each other, not which share memory

Exit status: the program's; 2 for a wrong argument, 126 and 127 if the program cannot be run or
found, 1 if Terrace's own library is missing. Where it was to be one of several ranks, SIGTERM ends
it instead: MPICH's and Intel's launchers wait for ever for ranks that end before MPI_Init.
)text";

}  // namespace
}  // namespace exec_verb

void add_exec_subcommand(CLI::App& app, const std::vector<std::string>& command) {
  using namespace exec_verb;
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("exec", "Run one rank of an MPI program with Terrace in it");
  verb->add_option("--mpi", options->mpi, "ABI of the program's MPI [found automatically]")
      ->check(CLI::IsMember({"mpich", "openmpi", "standard"}));
  verb->add_flag("--print-env", options->only_prints,
                 "Print the settings instead, for job scripts");
  verb->add_flag("--shared-heap", options->shares_heap,
                 "Let the ranks of a node access each other's long malloc blocks directly");
  verb->formatter(std::make_shared<terrace::Usage>("[OPTIONS] [--] PROGRAM [ARGUMENTS]"));
  verb->footer(kFooter);
  verb->callback([command, options] { exec(*options, command); });
}
