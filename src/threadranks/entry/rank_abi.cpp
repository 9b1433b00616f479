// SPDX-License-Identifier: BSD-3-Clause
// The interface for launchers: the process's job, and the rank of the calling thread.
#include "threadranks/rank_abi.h"

#include <cxxabi.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <mutex>
#include <new>
#include <stdexcept>
#include <typeinfo>

#include "base/contract.hpp"
#include "base/out_of_memory.hpp"
#include "threadranks/ranks/forked_child.hpp"
#include "threadranks/ranks/rank_state.hpp"
#include "threadranks/windows/window_service.hpp"

namespace terrace::threadranks {

namespace {

[[gnu::tls_model("initial-exec")]] thread_local RankState* rank_of_this_thread = nullptr;

/// The process's job. Never destroyed by itself: programs call MPI in handlers of `atexit`.
std::atomic<RanksJob*> the_job{nullptr};

RanksJob* process_job() noexcept {
  // acquire: pairs with the release in `begin`.
  return the_job.load(std::memory_order_acquire);
}

/// The job of a program that was started without a launcher.
void end_process(int, int code, const char* why) {
  std::fprintf(stderr, "terrace: %s\n", why);
  syscall(SYS_exit_group, code);
}

std::optional<MpiPhase> the_phase_of_parent;

/// Called in the child, which has the thread alone that has forked.
void be_child() noexcept {
  RanksJob* const job = process_job();
  if (job == nullptr || job->rank_count() == 1 || rank_of_this_thread == nullptr) return;
  the_phase_of_parent =
      rank_of_this_thread->may_call() ? MpiPhase::initialized : rank_of_this_thread->phase;
  for (Rank rank = job->first_rank(); job->is_here(rank); ++rank) {
    RankState& state = job->rank(rank);
    if (state.phase == MpiPhase::initialized) state.phase = MpiPhase::before;
    state.open_sessions = 0;
    state.call_lock().set_needed(false);  // the thread that may hold it is not here
  }
}

std::terminate_handler usual_end = nullptr;

/// Why memory was refused, if the exception says so; null: it is another one.
const char* reason_of(const std::type_info& thrown) {
  if (thrown == typeid(std::bad_alloc)) return reason_for_no_memory();
  if (thrown == typeid(std::bad_array_new_length) || thrown == typeid(std::length_error))
    return "a list is to be longer than any memory: is a count or a length of the program wrong?";
  return nullptr;
}

/// Called if nothing catches what this library throws: a program in C does not.
void end_for_exception() noexcept {
  const std::type_info* const thrown = abi::__cxa_current_exception_type();
  const char* const reason = thrown != nullptr ? reason_of(*thrown) : nullptr;
  if (reason != nullptr && rank_of_this_thread != nullptr)
    process_job()->settings().abort(static_cast<int>(rank_of_this_thread->rank()), 1, reason);
  usual_end();
}

RanksJob* begin(const terrace_ranks_settings& settings) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (process_job() != nullptr) return nullptr;
  RanksJob* const job = new RanksJob(settings, WindowService::make);
  usual_end = std::set_terminate(end_for_exception);
  [[maybe_unused]] static const int in_children = pthread_atfork(nullptr, nullptr, be_child);
  // release: pairs with the acquire in `process_job`; publishes the job.
  the_job.store(job, std::memory_order_release);
  return job;
}

/// Whether what is said of the other processes makes sense, if there are any.
bool is_job(const terrace_ranks_settings& settings) {
  if (settings.transport == nullptr) return true;
  return settings.processes != nullptr && settings.process >= 0 &&
         settings.process < settings.process_count &&
         settings.processes[settings.process].ranks == settings.ranks;
}

}  // namespace

std::optional<MpiPhase> phase_of_parent() noexcept {
  return the_phase_of_parent;
}

RankState* current_rank() noexcept {
  return rank_of_this_thread;
}

RankState* rank_of_process(int rank) noexcept {
  RanksJob* const job = process_job();
  if (job == nullptr || rank < 0 || !job->is_here(static_cast<Rank>(rank))) return nullptr;
  return &job->rank(static_cast<Rank>(rank));
}

void set_current_rank(RankState* rank) noexcept {
  rank_of_this_thread = rank;
}

FreeListsOfRank* free_lists_of_caller() noexcept {
  if (rank_of_this_thread == nullptr) return nullptr;
  TERRACE_ASSERT(rank_of_this_thread->call_lock().permits_caller(), rank_of_this_thread->rank());
  return &rank_of_this_thread->free_lists();
}

bool is_caller_of_a_rank() noexcept {
  const RanksJob* const job = process_job();
  return rank_of_this_thread != nullptr || job == nullptr || job->ranks_here() == 1;
}

namespace {

/// Returns the rank of a thread that no launcher made a rank's.
[[gnu::cold, gnu::noinline]] RankState& only_rank() {
  if (process_job() == nullptr) {
    terrace_ranks_settings alone{};
    alone.bytes = sizeof alone;
    alone.ranks = 1;
    alone.abort = end_process;
    begin(alone);
  }
  RanksJob& job = *process_job();
  RankState& first = job.rank(job.first_rank());
  if (job.ranks_here() == 1) return *(rank_of_this_thread = &first);
  first.end_job(1,
                "a thread that belongs to no rank calls MPI: only threads that a rank made "
                "may, by pthread_create");
}

}  // namespace

RankState& rank_of_caller() {
  RankState* const rank = rank_of_this_thread;
  return rank != nullptr ? *rank : only_rank();
}

}  // namespace terrace::threadranks

using terrace::threadranks::RanksJob;
using terrace::threadranks::RankState;

extern "C" terrace_ranks_job* terrace_ranks_begin(const terrace_ranks_settings* settings) {
  if (settings == nullptr || settings->bytes < sizeof *settings || settings->ranks < 1 ||
      settings->abort == nullptr || !terrace::threadranks::is_job(*settings))
    return nullptr;
  try {
    return reinterpret_cast<terrace_ranks_job*>(terrace::threadranks::begin(*settings));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

extern "C" const char* terrace_ranks_obstacle_to_workers(size_t stack_bytes) {
  static const std::string& obstacle = *new std::string(terrace::obstacle_to_fibres(stack_bytes));
  return obstacle.empty() ? nullptr : obstacle.c_str();
}

extern "C" void terrace_ranks_disconnect(terrace_ranks_job* job) {
  RanksJob* const ours = terrace::threadranks::process_job();
  if (ours == nullptr || reinterpret_cast<RanksJob*>(job) != ours) return;
  // seq_cst: as all of `has_begun`; partner: `RankState::begin`.
  if (ours->network() != nullptr) ours->network()->disconnect(ours->has_begun.load());
}

extern "C" void terrace_ranks_end(terrace_ranks_job* job) {
  if (job == nullptr || reinterpret_cast<RanksJob*>(job) != terrace::threadranks::process_job())
    return;
  // release: as in `begin`; no rank of the job is there any more.
  terrace::threadranks::the_job.store(nullptr, std::memory_order_release);
  terrace::threadranks::rank_of_this_thread = nullptr;
  delete reinterpret_cast<RanksJob*>(job);
}

extern "C" void terrace_ranks_enter(int rank) {
  RankState* const state = terrace::threadranks::rank_of_process(rank);
  if (state == nullptr) return;
  terrace::threadranks::rank_of_this_thread = state;
  state->has_own_thread();
}

extern "C" void terrace_ranks_keep_thread(int rank) {
  RankState* const state = terrace::threadranks::rank_of_process(rank);
  if (state != nullptr) state->keep_thread();
}

extern "C" int terrace_ranks_signal(int rank, int signal) {
  RankState* const state = terrace::threadranks::rank_of_process(rank);
  return state != nullptr && state->send_signal(signal) ? 1 : 0;
}

extern "C" int terrace_ranks_pass(uint64_t most_ns) {
  if (!terrace::fibre::has_worker()) return 0;
  if (terrace::fibre::pass(false)) return 1;
  const terrace::fibre::WaitsForAll waits;
  if (most_ns == 0) {
    sched_yield();
  } else {
    const timespec time = {0, static_cast<long>(std::min<uint64_t>(most_ns, 50'000))};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
  }
  return 1;
}

extern "C" int terrace_ranks_current(void) {
  const RankState* const rank = terrace::threadranks::current_rank();
  return rank != nullptr ? static_cast<int>(rank->rank()) : -1;
}

extern "C" void terrace_ranks_leave(int rank, int code) {
  RankState* const state = terrace::threadranks::rank_of_process(rank);
  if (state == nullptr) return;
  terrace::fibre::go_home();
  if (terrace::threadranks::current_rank() == state)
    terrace::threadranks::rank_of_this_thread = nullptr;
  state->leave(code);
}
