// SPDX-License-Identifier: BSD-3-Clause
// The launcher's main: reads the settings that `terrace run` has left for it, restores the
// environment, and runs the job.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/loaded_libraries.hpp"
#include "threadranks/elf/libraries.hpp"
#include "threadranks/process/abort_report.hpp"
#include "threadranks/process/launched_job.hpp"
#include "threadranks/process/reserve.h"

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

[[noreturn]] void abort_job(int rank, int code, const char* why) {
  const terrace_rank* const here = rank_here();
  if (here != nullptr && !here->has_begun) end_job(here->number, kBeforeMain, kRefused);
  const std::string sentence = why;
  const std::string itself = "rank " + std::to_string(rank) + " ";
  end_job(
      rank,
      sentence.starts_with(itself) ? sentence.substr(itself.size()) : "cannot go on: " + sentence,
      code);
}

Result<RankAbi> begin_mpi(const Program& program, const std::string& folder, int ranks) {
  auto abi = load_mpi(program.mpi,
                      {folder + "/" TERRACE_RANKS_FOLDER, folder + "/../../lib/terrace/ranks"});
  if (!abi || abi.value().begin == nullptr) return abi;
  terrace_ranks_settings settings{};
  settings.bytes = sizeof settings;
  settings.ranks = ranks;
  settings.abort = abort_job;
  if (abi.value().begin(&settings) == nullptr)
    return Error{ErrorCode::system,
                 "Terrace's MPI cannot start a job of " + std::to_string(ranks) + " ranks"};
  return abi;
}

/// A preloaded tool comes before all ranks at once, and brings the MPI that it needs.
std::string other_mpi() {
  const std::string path = library_at(dlsym(RTLD_DEFAULT, "PMPI_Init"));
  return path.empty() ? library_at(dlsym(RTLD_DEFAULT, "MPI_Init")) : path;
}

Error refused_for(const std::string& mpi) {
  const char* const preloaded = getenv(kPreload);
  return {ErrorCode::argument,
          "LD_PRELOAD=" + std::string(preloaded == nullptr ? "" : preloaded) + " brings " + mpi +
              " into the process, beside the MPI of thread ranks; link the program to "
              "the tool, so that each rank has a copy of it, or run it as processes: mpirun -n N "
              "terrace exec PROGRAM"};
}

Result<int> run(int argc, char** argv) {
  open_closed_streams();
  const std::string program_path = taken_variable(kProgramVariable);
  const std::string text = taken_variable(kSettingsVariable);
  put_back(kLibraryPath);
  put_back(kTunables);
  if (getenv((std::string(kKeptPrefix) + kPreload).c_str()) != nullptr) put_back(kPreload);
  if (text.empty() || program_path.empty())
    return Error{ErrorCode::argument, "only `terrace run` starts this program"};
  auto settings = launch_settings_from_text(text);
  if (!settings) return settings.error();
  settings.value().program = program_path;

  auto program = read_program(program_path, {TERRACE_RESERVE_BYTES, TERRACE_RESERVE_ALIGNMENT});
  if (!program) return program.error();
  if (const std::string mpi = other_mpi(); !mpi.empty() && !program.value().mpi.empty())
    return refused_for(mpi);
  const std::string folder = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
  const std::string part = folder + "/libterrace-rank-libc.so";
  auto image = read_image(part);
  if (!image) return image.error();
  if (const auto loaded = load_shared(program.value()); !loaded) return loaded.error();
  const auto mpi = begin_mpi(program.value(), folder, settings.value().ranks);
  if (!mpi) return mpi.error();
  allow_many_files();
  LaunchedJob job(std::move(settings).value(), std::move(program).value(),
                  {part, std::move(image).value()}, mpi.value(), {argv, argv + argc});
  watch_for_crashes(job);
  return job.run();
}

/// Suggests processes for programs whose ranks cannot be threads.
std::string alternative_to(const Error& error) {
  if (error.code != ErrorCode::unsupported) return "";
  return "; run it as processes: mpirun -n N terrace exec PROGRAM";
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int terrace_ranks_main(int argc, char** argv) {
  const Result<int> code = run(argc, argv);
  if (!code) {
    const std::string sentence = code.error().sentence + alternative_to(code.error());
    dprintf(STDERR_FILENO, "terrace run: %s\n", sentence.c_str());
  }
  fflush(nullptr);
  // Does not return: the loader would finalize all ranks' copies once more.
  end_process(code ? code.value() : kRefused);
}
