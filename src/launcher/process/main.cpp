// SPDX-License-Identifier: BSD-3-Clause
// The launcher's main: reads the settings that `terrace run` has left for it, restores the
// environment, and runs the job.
#include <cxxabi.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "base/build_id.hpp"
#include "base/contract.hpp"
#include "base/host.hpp"
#include "base/loaded_libraries.hpp"
#include "base/out_of_memory.hpp"
#include "base/own_program.hpp"
#include "launcher/elf/libraries.hpp"
#include "launcher/elf/processor.hpp"
#include "launcher/process/abort_report.hpp"
#include "launcher/process/launched_job.hpp"
#include "launcher/process/outer_launcher.hpp"
#include "launcher/process/private_mpi.hpp"
#include "launcher/process/reserve.hpp"

namespace {

using namespace terrace;

constexpr int kRefused = 1;

std::string taken_variable(const std::string& name) {
  const char* const value = getenv(name.c_str());
  const std::string text = value == nullptr ? "" : value;
  unsetenv(name.c_str());
  return text;
}

/// The loader has read them; the ranks must see the user's values.
void put_back(const std::string& name) {
  const std::string kept = kKeptPrefix + name;
  if (const char* const value = getenv(kept.c_str()))
    setenv(name.c_str(), value, 1);
  else
    unsetenv(name.c_str());
  unsetenv(kept.c_str());
}

/// Otherwise a copy of a library might become standard output, and be written into.
void open_closed_streams() {
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file)
    if (fcntl(file, F_GETFD) < 0) [[maybe_unused]]
      const int lowest = open("/dev/null", O_RDWR);
}

/// Copies are open files while a rank is loaded.
void allow_many_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// The kernel lets a table of open files that several threads share grow only after all cores have
/// been through its scheduler, which takes 10 ms and more. So it grows while one thread has it.
void make_table_of_files_long() {
  constexpr rlim_t kFiles = 1024;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == 0) return;
  const int last =
      fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, static_cast<int>(std::min(kFiles, limit.rlim_cur) - 1));
  if (last >= 0) close(last);
}

Result<bool> load_shared(const Program& program) {
  for (const std::string& path : program.shared)
    if (dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr)
      return Error{ErrorCode::system, dlerror()};
  return true;
}

/// A rank that waited for others while the loader is at work would keep them from being loaded.
constexpr const char* kBeforeMain =
    "calls MPI before its main, in a constructor: thread ranks are loaded one after the "
    "other, so it may call MPI in main only; or run it as processes: mpirun -n N terrace exec "
    "PROGRAM";

/// Says so without taking any.
[[noreturn]] void end_without_memory() {
  for (const std::string_view part : {"terrace run: ", reason_for_no_memory(), "\n"})
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, part.data(), part.size());
  end_processes(kRefused);
}

[[noreturn]] void report_and_end(int rank, int code, const char* why) {
  const terrace_rank* const here = rank_here();
  if (here != nullptr && !here->has_begun) end_job(here->number, kBeforeMain, kRefused);
  const std::string sentence = why;
  const std::string itself = "rank " + std::to_string(rank) + " ";
  end_job(
      rank,
      sentence.starts_with(itself) ? sentence.substr(itself.size()) : "cannot go on: " + sentence,
      code);
}

[[noreturn]] void abort_job(int rank, int code, const char* why) {
  try {
    report_and_end(rank, code, why);
  } catch (const std::bad_alloc&) {
    end_without_memory();
  }
}

/// Lists where our MPI may lie, for this program's own folder.
std::vector<std::string> library_folders(const std::string& folder) {
  return {folder + "/" TERRACE_RANKS_FOLDER, folder + "/../../lib/terrace/ranks"};
}

/// The processes of a job, once they have met; alone, there is no MPI between them.
struct JobProcesses {
  std::unique_ptr<PrivateMpi> mpi;
  std::vector<ProcessTold> told;

  const ProcessTold& own() const { return told[static_cast<std::size_t>(mpi->process())]; }
  int first_rank() const {
    int first = 0;
    for (int process = 0; mpi && process < mpi->process(); ++process)
      first += told[static_cast<std::size_t>(process)].ranks;
    return first;
  }
  /// Counts the ranks of all processes that may use a core of this one.
  int ranks_on_cores() const;
};

int JobProcesses::ranks_on_cores() const {
  int ranks = 0;
  for (const ProcessTold& other : told) {
    bool shares = false;
    for (std::size_t i = 0; i < sizeof other.pus; ++i) shares |= (other.pus[i] & own().pus[i]) != 0;
    if (shares && std::string_view(other.node) == own().node) ranks += other.ranks;
  }
  return ranks;
}

template <std::size_t room>
void put_text(char (&place)[room], const std::string& text) {
  text.copy(place, room - 1);
}

ProcessTold told_of_this_process(int ranks) {
  ProcessTold own;
  own.ranks = ranks;
  put_text(own.node, host_name());
  std::string build;
  for (const char byte : build_id_at(reinterpret_cast<const void*>(&told_of_this_process))) {
    constexpr const char* kDigits = "0123456789abcdef";
    build += {kDigits[(byte >> 4) & 15], kDigits[byte & 15]};
  }
  put_text(own.build, build);
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (std::size_t pu = 0; pu < 8 * sizeof own.pus; ++pu)
      if (CPU_ISSET(pu, &set)) own.pus[pu / 8] |= static_cast<unsigned char>(1u << pu % 8);
  return own;
}

/// An error that process 0 reports for all. The others end in silence, when it has.
Error for_all(PrivateMpi& mpi, const std::string& sentence) {
  if (mpi.process() == 0) dprintf(STDERR_FILENO, "terrace run: %s\n", sentence.c_str());
  mpi.tell_all({});
  return {ErrorCode::system, ""};
}

/// Meets the other processes that the launcher of an MPI has started, if there are any.
Result<JobProcesses> meet(const LaunchSettings& settings) {
  JobProcesses processes;
  const OuterLauncher launcher = outer_launcher();
  if (launcher.processes == 1) return processes;
  auto opened = open_private_mpi(launcher, mpi_candidates(launcher, settings.over));
  if (!opened) return opened.error();
  processes.mpi = std::move(opened).value();
  processes.told = processes.mpi->tell_all(told_of_this_process(settings.ranks));
  end_others_by(*processes.mpi);
  const ProcessTold& first = processes.told.front();
  for (const ProcessTold& other : processes.told)
    if (std::string_view(other.build) != first.build)
      return for_all(*processes.mpi, std::string("node ") + other.node +
                                         " has another build of Terrace than node " + first.node +
                                         "; install the same one on both");
  return processes;
}

std::size_t worker_stack_bytes(const LaunchSettings& settings) {
  return kWorkerStackBytes + room_beside_stack(settings);
}

/// Turns fibres off where they cannot be, with a sentence if they were asked for.
void check_workers(const RankAbi& abi, bool has_others, LaunchSettings& settings) {
  if (settings.workers.empty() || abi.begin == nullptr) return;
  const char* const obstacle = has_others ? "the job has several processes"
                                          : abi.obstacle_to_workers(worker_stack_bytes(settings));
  if (obstacle == nullptr) return;
  if (settings.tells_obstacle)
    dprintf(STDERR_FILENO, "terrace run: ranks are threads, not fibres: %s\n", obstacle);
  settings.workers.clear();
}

/// Begins the job in the MPI that ranks call.
Result<bool> begin_job(const RankAbi& abi, const JobProcesses& processes,
                       const LaunchSettings& launch, terrace_ranks_job*& job) {
  if (abi.begin == nullptr) return true;
  terrace_ranks_settings settings{};
  settings.bytes = sizeof settings;
  settings.ranks = launch.ranks;
  settings.abort = abort_job;
  settings.workers = static_cast<int>(launch.workers.size());
  const bool are_bound = !launch.workers.empty() && launch.workers.front() >= 0;
  settings.worker_pus = are_bound ? launch.workers.data() : nullptr;
  settings.worker_stack_bytes = worker_stack_bytes(launch);
  settings.prepare_worker = prepare_abort_report;
  std::vector<terrace_ranks_process> told;
  if (processes.mpi) {
    for (const ProcessTold& other : processes.told) told.push_back({other.ranks, other.node});
    settings.transport = processes.mpi->transport();
    settings.processes = told.data();
    settings.process_count = processes.mpi->process_count();
    settings.process = processes.mpi->process();
    settings.ranks_on_cores = processes.ranks_on_cores();
  }
  job = abi.begin(&settings);
  if (job != nullptr) return true;
  return Error{ErrorCode::system,
               "Terrace's MPI cannot start a job of " + std::to_string(launch.ranks) + " ranks"};
}

Error refused_for(const std::string& why) {
  return {ErrorCode::argument, why +
                                   "; link the program to the tool, so that each rank has a copy "
                                   "of it, or run it as processes: mpirun -n N terrace exec "
                                   "PROGRAM"};
}

/// Refuses functions of MPI that are there before any rank: a preloaded tool comes before all ranks
/// at once, and may bring the MPI that it needs.
Result<bool> expect_no_tool() {
  if (const std::string mpi = library_at(dlsym(RTLD_DEFAULT, "PMPI_Init")); !mpi.empty()) {
    const char* const preloaded = getenv(kPreload);
    return refused_for("LD_PRELOAD=" + std::string(preloaded == nullptr ? "" : preloaded) +
                       " brings " + mpi + " into the process, beside the MPI of thread ranks");
  }
  for (const link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next) {
    const std::string path = map->l_name, name = std::filesystem::path(path).filename().string();
    if (path.empty() || name.starts_with("libterrace-") || owner_of(name) == LibraryOwner::process)
      continue;
    const auto library = read_library(path);
    std::string function;
    if (library && library.value().image.defines_any({"MPI_", "PMPI_", "MPIX_"}, function))
      return refused_for("LD_PRELOAD brings " + path + ", which defines " + function +
                         " for the whole process, not for each rank");
  }
  return true;
}

/// Bytes of static thread-local memory that libraries of a rank take, because they are made to need
/// it, as allocators are.
std::size_t library_local_bytes(const Program& program) {
  std::size_t bytes = kLibraryLocalBytes;
  for (const auto& [name, library] : program.libraries)
    if (const auto& locals = library.image.thread_locals();
        locals && library.image.wants_static_thread_locals() && locals->bytes > 256)
      bytes += locals->bytes + locals->alignment;
  return bytes;
}

/// The environment that `terrace run` has made, before anything is taken from it.
std::vector<std::string> variables_at_start() {
  std::vector<std::string> variables;
  for (char** one = environ; *one != nullptr; ++one) variables.emplace_back(*one);
  return variables;
}

/// Starts this program again in its place, with the room for libraries that `settings` wants.
/// Returns if it fails.
void begin_again(char** argv, const LaunchSettings& before, const LaunchSettings& settings,
                 std::vector<std::string> variables) {
  const auto replace = [](std::string& text, const std::string& from, const std::string& to) {
    const std::size_t place = text.find(from), end = place + from.size();
    const bool is_whole = place != text.npos && (end == text.size() || text[end] == ':');
    if (is_whole) text.replace(place, from.size(), to);
  };
  const std::string room = kRoomTunable + std::to_string(room_for_libraries(before));
  std::vector<char*> list;
  for (std::string& one : variables) {
    if (one.starts_with(std::string(kSettingsVariable) + "="))
      one = std::string(kSettingsVariable) + "=" + to_text(settings);
    if (one.starts_with(std::string(kTunables) + "="))
      replace(one, room, kRoomTunable + std::to_string(room_for_libraries(settings)));
    list.push_back(one.data());
  }
  list.push_back(nullptr);
  execve(own_program().c_str(), argv, list.data());
}

/// Lets an interpreter's ranks have an MPI that its extension modules may need later: the one whose
/// ABI mpi4py is told to use, else that of MPICH, which mpi4py then finds in the program.
void expect_mpi4py(Program& program) {
  if (!program.mpi.empty() || !is_python(program.path, program.image)) return;
  const char* const asked = getenv("MPI4PY_MPIABI");
  const std::string_view abi = asked != nullptr ? asked : "";
  program.mpi.insert(abi == "openmpi"  ? "libmpi.so.40"
                     : abi == "mpiabi" ? "libmpi_abi.so.1"
                                       : "libmpi.so.12");
}

Result<int> run(int argc, char** argv, std::size_t reserve_bytes) {
  const std::vector<std::string> variables = variables_at_start();
  open_closed_streams();
  make_table_of_files_long();
  const std::string program_path = taken_variable(kProgramVariable);
  const std::string text = taken_variable(kSettingsVariable);
  const std::string over = taken_variable(kOverVariable);
  put_back(kLibraryPath);
  put_back(kTunables);
  if (getenv((std::string(kKeptPrefix) + kPreload).c_str()) != nullptr) put_back(kPreload);
  if (text.empty() || program_path.empty())
    return Error{ErrorCode::argument, "only `terrace run` starts this program"};
  auto settings = launch_settings_from_text(text);
  if (!settings) return settings.error();
  const LaunchSettings given = settings.value();
  settings.value().program = program_path;
  settings.value().over = over;
  settings.value().reserve_bytes = reserve_bytes;

  const std::string folder = std::filesystem::path(own_program()).parent_path().string();
  const std::vector<std::string> folders = library_folders(folder);
  auto program = read_program(program_path, {reserve_bytes, kReserveAlignment}, folders);
  if (!program) return program.error();
  expect_mpi4py(program.value());
  LaunchSettings with_room = given;
  with_room.library_local_bytes = library_local_bytes(program.value());
  if (with_room.library_local_bytes > given.library_local_bytes)
    begin_again(argv, given, with_room, variables);
  if (!program.value().mpi.empty())
    if (const auto alone = expect_no_tool(); !alone) return alone.error();
  auto rank_libc = read_library(folder + "/libterrace-rank-libc.so");
  if (!rank_libc) return rank_libc.error();
  if (const auto loaded = load_shared(program.value()); !loaded) return loaded.error();
  const auto mpi = load_mpi(program.value().mpi, folders);
  if (!mpi) return mpi.error();
  Result<JobProcesses> met = JobProcesses{};
  if (mpi.value().begin != nullptr) met = meet(settings.value());
  if (!met) return met.error();
  const JobProcesses& processes = met.value();
  settings.value().first_rank = processes.first_rank();
  settings.value().has_others = processes.mpi != nullptr;
  check_workers(mpi.value(), processes.mpi != nullptr, settings.value());
  terrace_ranks_job* ranks = nullptr;
  if (const auto begun = begin_job(mpi.value(), processes, settings.value(), ranks); !begun)
    return begun.error();
  allow_many_files();
  // Lives as long as the process: a late signal's handler asks it which ranks handle the signal.
  LaunchedJob& job =
      *new LaunchedJob(std::move(settings).value(), std::move(program).value(),
                       std::move(rank_libc).value(), mpi.value(), {argv, argv + argc});
  watch_for_crashes(job);
  Result<int> code = job.run();
  if (!code || !processes.mpi) return code;
  mpi.value().disconnect(ranks);
  mpi.value().end(ranks);
  processes.mpi->finish();
  return code;
}

/// Programs expect their thread-local variables at fixed distances from the thread pointer: there,
/// and nowhere else, the executable's reserve must lie.
void check_reserve(const char* reserve, std::size_t bytes) {
  const auto* const thread = static_cast<const char*>(__builtin_thread_pointer());
  const char* const place = kThisProcessor == EM_AARCH64 ? thread + kThreadWords : thread - bytes;
  TERRACE_REQUIRE(reserve == place, reserve, place, thread, bytes);
}

/// Suggests processes for programs whose ranks cannot be threads.
std::string alternative_to(const Error& error) {
  if (error.code != ErrorCode::unsupported) return "";
  return "; run it as processes: mpirun -n N terrace exec PROGRAM";
}

std::terminate_handler usual_end = nullptr;

/// Called if there is no memory, or the launcher is wrong.
void end_for_exception() noexcept {
  const std::type_info* const thrown = abi::__cxa_current_exception_type();
  if (thrown != nullptr && *thrown == typeid(std::bad_alloc)) end_without_memory();
  usual_end();
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int terrace_ranks_main(int argc, char** argv,
                                                                 const char* reserve,
                                                                 std::size_t reserve_bytes) {
  usual_end = std::set_terminate(end_for_exception);
  check_reserve(reserve, reserve_bytes);
  FILE* const output = stdout;  // which rank 0 makes its own
  const Result<int> code = run(argc, argv, reserve_bytes);
  if (!code) {
    const std::string sentence = code.error().sentence + alternative_to(code.error());
    if (!code.error().sentence.empty())
      dprintf(STDERR_FILENO, "terrace run: %s\n", sentence.c_str());
  }
  // Not all streams: those of ranks are for other tables of open files, and written out already if
  // the rank has ended as programs do.
  fflush(output);
  if (!code) end_refused_process(kRefused);
  // Does not return: the loader would finalize all ranks' copies once more.
  end_process(code ? code.value() : kRefused);
}
