// SPDX-License-Identifier: BSD-3-Clause
// `terrace run`: starts a program whose ranks are threads of one process. It chooses where each
// rank runs and becomes the launcher, which makes the ranks or reports the obstacle.
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/own_program.hpp"
#include "base/paths.hpp"
#include "base/say.hpp"
#include "base/switch.hpp"
#include "launcher/elf/libraries.hpp"
#include "launcher/elf/processor.hpp"
#include "launcher/elf/program.hpp"
#include "launcher/process/outer_launcher.hpp"
#include "launcher/process/reserve.hpp"
#include "launcher/process/settings.hpp"
#include "machine/machine.hpp"
#include "mpi_of_program.hpp"
#include "os/binding.hpp"
#include "placement_options.hpp"
#include "refusals.hpp"
#include "subcommands.hpp"
#include "usage.hpp"

namespace run_verb {
namespace {

using namespace terrace;
namespace files = std::filesystem;

constexpr Verb kVerb{"terrace run"};
/// Bytes of a script's first line that the kernel reads.
constexpr std::size_t kLongestFirstLine = 256;

struct Options {
  std::uint32_t ranks = 0;
  std::string bind;  ///< "" : core, if there are enough
  std::string stack;
  bool labels = false;
  std::string fibres = "off";
  std::string over;  ///< "": the launcher's own
};

/// The part of the resources that is this process's, where a launcher has started others here and
/// has bound none of them.
std::vector<PuSet> share_of(std::vector<PuSet> sets) {
  const OuterLauncher launcher = outer_launcher();
  const std::size_t share = sets.size() / static_cast<std::size_t>(launcher.processes_here);
  const auto begin = sets.begin() + static_cast<std::ptrdiff_t>(share) * launcher.number_here;
  return {begin, begin + static_cast<std::ptrdiff_t>(share)};
}

/// The PUs of each resource of a level that we may use.
std::vector<PuSet> usable_at(const std::string& level) {
  const Result<Machine> machine = read_this_machine();
  const Result<PuSet> ours = binding_of_this_thread();
  if (!machine || !ours) return {};
  std::vector<PuSet> sets;
  bool are_bound = false;
  for (const Resource* one : resources_at(machine.value(), level)) {
    const PuSet pus = one->pus & ours.value();
    are_bound |= pus != one->pus;
    if (!pus.empty()) sets.push_back(pus);
  }
  return level == "core" && !are_bound ? share_of(std::move(sets)) : sets;
}

/// Returns the bindings by rank; none if ranks are not to be bound. Neighbours in rank are
/// neighbours on the machine.
std::vector<PuSet> bindings_for(const Options& options) {
  if (options.bind == "none") return {};
  const std::string level = options.bind.empty() ? "core" : options.bind;
  const std::vector<PuSet> places = usable_at(level);
  const std::size_t ranks = options.ranks;
  if (level == "core" && ranks > places.size()) {
    if (options.bind.empty()) return {};
    kVerb.refuse("--bind core given, but there are " + std::to_string(places.size()) +
                 " cores for " + std::to_string(ranks) + " ranks; leave it out, or give none");
  }
  std::vector<PuSet> bindings;
  for (std::size_t rank = 0; rank < ranks && !places.empty(); ++rank)
    bindings.push_back(places[level == "core" ? rank : rank * places.size() / ranks]);
  return bindings;
}

/// Returns what speaks against fibres in the arguments, as the end of a sentence; "": nothing.
std::string objection_to_fibres(const Options& options) {
  if (options.bind != "" && options.bind != "core" && options.bind != "none")
    return " given with --bind " + options.bind +
           ", but workers are bound to cores; give core or none";
  if (options.labels) return " given with --label, but fibres share their files; leave one out";
  return "";
}

/// The workers' PUs, one for each core that ranks may use; none if ranks are threads.
std::vector<int> workers_for(const Options& options) {
  if (options.fibres == "off") return {};
  const std::string objection = objection_to_fibres(options);
  const std::vector<PuSet> cores = usable_at("core");
  if (options.fibres == "auto" && (!objection.empty() || options.ranks <= cores.size())) return {};
  if (!objection.empty()) kVerb.refuse("--fibres on" + objection);
  std::vector<int> workers;
  for (const PuSet& core : cores)
    if (workers.size() < options.ranks)
      workers.push_back(options.bind == "none" ? -1 : static_cast<int>(core.list().front()));
  if (workers.empty()) workers.push_back(-1);
  return workers;
}

/// Returns as much as processes would have; a gigabyte where that is not limited, of which only
/// what is used is taken.
std::size_t stack_bytes(const Options& options) {
  if (!options.stack.empty()) return kVerb.bytes(options.stack, "--stack ");
  rlimit limit{};
  const bool is_limited = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return is_limited ? limit.rlim_cur : std::size_t{1} << 30;
}

/// Sets what the loader reads when the next program starts. That program puts the user's back.
void set_for_loader(const std::string& name, const std::string& value, char separator) {
  const char* const users = std::getenv(name.c_str());
  if (users != nullptr || name == kPreload)
    setenv((kKeptPrefix + name).c_str(), users == nullptr ? "" : users, 1);
  const bool has_more = users != nullptr && *users != '\0';
  setenv(name.c_str(), (has_more ? value + separator + users : value).c_str(), 1);
}

/// Runtimes of sanitizers want to be loaded before everything else.
void put_sanitizer_first(const std::string& program, const ElfImage& image) {
  if (image.interpreter().empty()) return;
  for (const std::string& name : image.needed()) {
    if (!name.starts_with("libasan.so.") && !name.starts_with("libtsan.so.")) continue;
    const auto paths = libraries_of(image.interpreter(), program);
    if (!paths) return;
    if (const auto found = paths.value().find(name); found != paths.value().end())
      set_for_loader(kPreload, found->second, ':');
  }
}

/// Copies are found as open files, first among the process's, then among a rank's own.
void set_variables(const LaunchSettings& settings) {
  setenv(kSettingsVariable, to_text(settings).c_str(), 1);
  setenv(kProgramVariable, settings.program.c_str(), 1);
  if (!settings.over.empty()) setenv(kOverVariable, settings.over.c_str(), 1);
  set_for_loader(kLibraryPath, "/proc/" + std::to_string(getpid()) + "/fd:/proc/thread-self/fd",
                 ':');
  set_for_loader(kTunables, kRoomTunable + std::to_string(room_for_libraries(settings)), ':');
}

/// Mentions settings for `terrace exec` that do nothing here, which a user should not have to find
/// out.
void mention_ignored_settings() {
  std::string ignored = switch_in_environment("TERRACE") == false ? "TERRACE" : "";
  for (const char* name : {"TERRACE_CHECK", "TERRACE_OFF", "TERRACE_OFF_COMMUNICATORS",
                           "TERRACE_PLAN", "TERRACE_PROGRESS", "TERRACE_REACH",
                           "TERRACE_REPRODUCIBLE", "TERRACE_SHARED_HEAP", "TERRACE_TRACE"})
    if (std::getenv(name) != nullptr) ignored += (ignored.empty() ? "" : ", ") + std::string(name);
  if (!ignored.empty()) say(ignored + " set, which has no effect: thread ranks do not read it");
}

[[noreturn]] void become(const std::string& launcher, std::vector<std::string> command) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  execv(launcher.c_str(), words.data());
  kVerb.fail("cannot run " + launcher + ": " + std::strerror(errno));
}

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
constexpr bool kHasThreadRanks = true;
#else
constexpr bool kHasThreadRanks = false;
#endif

/// The way out where ranks cannot be threads.
std::string as_processes(const Options& options, const std::string& program) {
  return "run processes instead: mpirun -n " + std::to_string(options.ranks) + " terrace exec " +
         program;
}

void expect_proc(const Options& options, const std::string& program) {
  if (access("/proc/self/fd", X_OK) == 0) return;
  kVerb.fail(
      "thread ranks need /proc, where the loader finds each rank's copy of the program, and "
      "cannot use it here (/proc/self/fd: " +
      std::string(std::strerror(errno)) + "); mount it, or " + as_processes(options, program));
}

/// Returns the command in which an interpreter of Python runs a script, as the kernel makes it from
/// the script's first line; any other command as it is. `program`: the path of its first word.
std::vector<std::string> by_interpreter(const std::string& program,
                                        const std::vector<std::string>& command) {
  std::string line(kLongestFirstLine, '\0');
  std::ifstream file(program);
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(std::min(line.find('\n'), static_cast<std::size_t>(file.gcount())));
  if (!line.starts_with("#!")) return command;
  std::istringstream text(line.substr(2));
  std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
  if (words.size() > 1 && files::path(words[0]).filename() == "env") {
    words.erase(words.begin(), words.begin() + (words[1] == "-S" ? 2 : 1));
    if (!words.empty()) words[0] = path_of_program(words[0]);
  }
  if (words.empty() || !files::path(words[0]).filename().string().starts_with("python"))
    return command;
  words.push_back(program);
  words.insert(words.end(), command.begin() + 1, command.end());
  return words;
}

void run(const Options& options, const std::vector<std::string>& asked) {
  if (options.ranks == 0) kVerb.refuse("expected -n RANKS, as in `terrace run -n 4 ./app`");
  if (asked.empty()) kVerb.refuse("expected a program to run, as in `terrace run -n 4 ./app`");
  const std::string given = path_of_program(asked[0]);
  if (given.empty() || !is_there(given))
    throw CLI::RuntimeError(
        "terrace run: no program \"" + asked[0] + (given.empty() ? "\" on the PATH" : "\""), 127);
  const std::vector<std::string> command = by_interpreter(given, asked);
  const std::string program = path_of_program(command[0]);
  if (program.empty() || !is_there(program))
    kVerb.fail("'" + command[0] + "', which " + given + " is to be run by, is not there");
  std::error_code failure;
  if (files::equivalent(program, own_program(), failure))
    kVerb.refuse("expected a program to run, not terrace itself");
  const files::path prefix = own_prefix();
  const Result<RankLibrary> file = read_library(program);
  const auto locals = file ? file.value().image.thread_locals() : std::nullopt;
  const LauncherProgram& with_room =
      launcher_with(locals ? reserve_for(*locals, kThisProcessor) : 0);
  const std::string launcher = (prefix / TERRACE_RANKS_PROGRAMS / with_room.name).string();
  expect_proc(options, command[0]);
  if (!is_there(launcher))
    kVerb.fail((kHasThreadRanks ? "'" + launcher + "' is not there: was it built and installed? "
                                : "thread ranks are supported only under Linux on x86-64 and "
                                  "AArch64, not on this machine; ") +
               as_processes(options, command[0]));
  LaunchSettings settings;
  settings.ranks = static_cast<int>(options.ranks);
  settings.stack_bytes = stack_bytes(options);
  settings.bindings = bindings_for(options);
  settings.workers = workers_for(options);
  settings.tells_obstacle = options.fibres == "on";
  settings.labels = options.labels;
  settings.program = program;
  settings.over = options.over;
  mention_ignored_settings();
  if (file) put_sanitizer_first(program, file.value().image);
  set_variables(settings);
  become(launcher, command);
}

constexpr const char* kFooter = R"text(
Each rank is a thread with its own copy of the program, its libraries and their variables; all
ranks share one memory. Programs of MPICH, Intel MPI, Open MPI and the standard ABI run unchanged.
What is shared, and which programs cannot run this way: docs/design/private-copies.md.

Examples:
  terrace run -n 4 ./app input
  terrace run -n 4 --bind numa --label ./app
  terrace run -n 4 python script.py

Exit status: the highest of the ranks'; 128 plus the signal's number if a signal ended one;
1 if the program cannot run this way, 2 for a wrong argument, 127 if there is no such program. One
of several processes is then ended by SIGTERM, as launchers may wait for ever otherwise.
)text";

}  // namespace
}  // namespace run_verb

void add_run_subcommand(CLI::App& app, const std::vector<std::string>& command) {
  using namespace run_verb;
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("run", "Run a program whose ranks are threads");
  verb->add_option_function<std::string>(
          "-n,--ranks",
          [options](const std::string& text) {
            options->ranks = number_of(text, "--ranks", 1, 4096);
          },
          "How many")
      ->type_name("INT in [1 - 4096]");
  verb->add_option("--bind", options->bind,
                   "What each rank is bound to [core, if there are enough]")
      ->check(CLI::IsMember({"core", "numa", "package", "none"}));
  verb->add_option("--stack", options->stack, "Stack of each rank, such as 64MiB [ulimit -s]");
  verb->add_option("--over", options->over,
                   "MPI between nodes: its library or folder [that of mpirun or srun]")
      ->type_name("PATH");
  verb->add_option("--fibres", options->fibres,
                   "Switch between ranks in user space; auto: where they outnumber cores [off]")
      ->check(CLI::IsMember({"on", "off", "auto"}))
      ->envname("TERRACE_FIBRES");
  verb->add_flag("--label", options->labels, "Begin each line of output with its rank");
  verb->formatter(std::make_shared<terrace::Usage>("-n RANKS [OPTIONS] [--] PROGRAM [ARGUMENTS]"));
  verb->footer(kFooter);
  verb->callback([command, options] { run(*options, command); });
}
