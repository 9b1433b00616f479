// SPDX-License-Identifier: BSD-3-Clause
// The launcher's side of a job: its ranks, each with the thread that runs its program, from start
// to end.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "launcher/elf/libraries.hpp"
#include "launcher/elf/private_copies.hpp"
#include "launcher/process/children.hpp"
#include "launcher/process/launcher_api.h"
#include "launcher/process/output_prefix.hpp"
#include "launcher/process/rank_mpi.hpp"
#include "launcher/process/settings.hpp"
#include "launcher/process/variables_of_libc.hpp"

struct link_map;

namespace terrace {

class LaunchedJob;

/// A library that a rank has opened by dlopen.
struct OpenedLibrary {
  std::string name;  ///< as the rank has asked for it first
  std::string path;  ///< without symbolic links
  void* handle = nullptr;
  bool is_global = false;  ///< its symbols are found without its handle
};

}  // namespace terrace

/// One rank. The interface (launcher_api.h) refers to it by this name.
struct terrace_rank {
  terrace_rank(terrace::LaunchedJob& job_of_it, int index_of_it, int number_of_it)
      : job(job_of_it), index(index_of_it), number(number_of_it) {}

  terrace::LaunchedJob& job;
  int index;   ///< among the ranks of this process
  int number;  ///< in the job
  terrace::PrivateCopies copies;
  void* handle = nullptr;       ///< dlopen's, of the program
  link_map* program = nullptr;  ///< as the loader has mapped it
  std::vector<link_map*> maps;  ///< of its libraries, as in `copies`
  std::vector<terrace::OpenedLibrary> opened;
  std::map<std::string, std::string> names;  ///< as in `copies`, and of what it has opened
  pthread_t thread{};                        ///< runs main
  std::uintptr_t stack_begin = 0;            ///< its lowest address
  std::vector<std::string> words;            ///< its own arguments: programs write into them
  std::vector<char*> arguments;
  int code = 0;
  terrace_signal_function* signals = nullptr;     ///< null: it has set no handler
  std::atomic<std::uint64_t> handled_signals{0};  ///< a bit for each that it handles or ignores
  bool has_begun = false;                         ///< its main may run
  bool is_ending = false;                         ///< a thread of it says so to the job
  bool has_ended = false;
  void (*on_full_obstack)() = nullptr;
  bool has_own_files = false;         ///< file descriptors that other ranks do not see
  std::atomic<int> other_threads{0};  ///< created by it, and not ended yet
};

namespace terrace {

/// Returns the bit of a signal's number, from 1 to 64.
constexpr std::uint64_t signal_bit(int signal) {
  return std::uint64_t{1} << (signal - 1);
}

/// Thread-local memory that libc takes from a thread's stack, and the launcher's own frames.
std::size_t room_beside_stack(const LaunchSettings& settings);

class LaunchedJob {
 public:
  LaunchedJob(LaunchSettings settings, Program program, RankLibrary rank_libc, RankAbi mpi,
              std::vector<std::string> words)
      : settings_(std::move(settings)),
        program_(std::move(program)),
        program_path_(without_links(program_.path)),
        rank_libc_(std::move(rank_libc)),
        first_values_(first_values(program_, rank_libc_)),
        mpi_(mpi),
        words_(std::move(words)) {
    CPU_ZERO(&pus_);
    sched_getaffinity(0, sizeof pus_, &pus_);
  }

  const LaunchSettings& settings() const { return settings_; }
  const Program& program() const { return program_; }
  /// Path without links, and as it was when the job began: as the kernel names that of a process.
  const std::string& program_path() const { return program_path_; }
  const std::vector<FirstValue>& first_values_of_copies() const { return first_values_; }
  const RankAbi& mpi() const { return mpi_; }
  /// Thread-local memory that libc takes from a thread's stack.
  std::size_t room_beside_stack() const { return terrace::room_beside_stack(settings_); }
  pid_t process() const { return process_; }
  /// The environment with which each rank starts.
  char** variables() const { return variables_; }
  /// A debugger was there from the start.
  bool is_traced() const { return is_traced_; }
  /// Makes copies of libraries that ranks open: one thread at a time, which holds the mutex. A
  /// library's constructor may open another one.
  Copier& copier() { return *copier_; }
  std::recursive_mutex& opening() { return opening_; }
  /// Paths of what opened libraries need, by the library's path and time. With the mutex, too.
  std::map<std::string, std::map<std::string, std::string>>& paths_of_opened() {
    return paths_of_opened_;
  }
  /// In a child of `fork`, whose only thread cannot unlock it: it has another number.
  void renew_opening() { new (&opening_) std::recursive_mutex; }
  Children& children() { return children_; }

  /// Loads and starts all ranks, and waits until they have ended. Returns the job's exit status.
  /// Errors: those of making and loading copies.
  Result<int> run();

  /// Waits until the ranks' output has been written; safe in signal handlers.
  void drain_output();

  /// Sends a signal that the process has got to all ranks that handle it but `here`, which may be
  /// null. False: there are none, and it is not for a rank that has ended.
  bool pass_on(int signal, const terrace_rank* here, bool is_of_timer);
  /// A thread that a fibre has made may use all cores of the job.
  void unbind_from_worker() const;
  /// Sends the thread that runs the rank's main a signal; the error's number, or 0.
  int send_signal(const terrace_rank& rank, int signal) const;

  /// The function of the rank's thread.
  void live(terrace_rank& rank);
  void note_end(terrace_rank& rank, int code);

 private:
  Result<bool> load_all();
  Result<bool> start(terrace_rank& rank);
  Result<bool> start_thread(terrace_rank& rank);
  void let_run(bool all_are_there);
  std::string load(terrace_rank& rank);
  bool wait_for_start();

  const LaunchSettings settings_;
  Program program_;
  const std::string program_path_;
  RankLibrary rank_libc_;
  const std::vector<FirstValue> first_values_;
  const RankAbi mpi_;
  const std::vector<std::string> words_;
  const pid_t process_ = getpid();
  char** const variables_ = take_variables();
  cpu_set_t pus_;  ///< that the job may use
  std::vector<std::unique_ptr<terrace_rank>> ranks_;
  std::unique_ptr<OutputPrefixes> labels_;

  bool is_traced_ = false;
  std::unique_ptr<Copier> copier_;
  std::recursive_mutex opening_;
  std::map<std::string, std::map<std::string, std::string>> paths_of_opened_;
  Children children_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t loaded_ = 0;     ///< ranks that have tried to
  std::string loading_error_;  ///< of the rank that tried last
  int start_ = 0;              ///< 1: run, -1: do not
  std::size_t ended_ = 0;
  int code_ = 0;  ///< the highest of all
};

/// The calling thread's rank; null if it belongs to none.
terrace_rank* rank_here();
void be_rank_here(terrace_rank* rank);

/// Copies the initial values of the program's thread-local variables to those of the calling
/// thread.
void prepare_thread_locals(const terrace_rank& rank);

}  // namespace terrace
