// SPDX-License-Identifier: BSD-3-Clause
// One thread of the process polls for all watches. The first one starts it, and it runs until the
// process ends.
#include "preload/waiting/watch_thread.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <optional>
#include <vector>

#include "base/own_thread.hpp"
#include "base/say.hpp"
#include "base/ticks.hpp"
#include "preload/waiting/wait_environment.hpp"

namespace terrace::preload {

namespace {

/// A peer that has finished the MPI's collective may finalize MPI and exit. This rank then also
/// finishes soon. So a peer counts as dead only after this many polls, a second apart, found it so.
constexpr int kPollsBeforeDeath = 3;

struct WatchedTeam {
  MpiWaitEnvironment* wait_environment;
  int polls = 0;  ///< that found a peer dead
};

using Time = KernelClock::time_point;

struct WatchedCall {
  const StallWatch* watch;
  const char* what;
  std::optional<Time> stalls;  ///< nothing: it has been said, or never will be
};

struct Watcher {
  std::mutex mutex;  ///< guards what follows
  std::vector<WatchedTeam> teams;
  std::vector<WatchedCall> calls;
  bool is_running = false;
};

Watcher& watcher() {
  static auto* const the = new Watcher;  // never destroyed: its thread ends with the process
  return *the;
}

void poll(WatchedTeam& team) {
  if (team.wait_environment->dead_peer() && ++team.polls == kPollsBeforeDeath)
    team.wait_environment->end_for_dead_peer();
}

void poll(WatchedCall& call) {
  if (!call.stalls || KernelClock::now() < *call.stalls) return;
  call.stalls.reset();
  say(stall_text(call.what));
}

void* poll_all(void*) {
  Watcher& all = watcher();
  for (;;) {
    sleep(1);
    const std::lock_guard lock(all.mutex);
    for (WatchedTeam& team : all.teams) poll(team);
    for (WatchedCall& call : all.calls) poll(call);
  }
}

/// If no thread can be created, deaths and stalls go unnoticed, as without Terrace.
bool start_thread() {
  pthread_t thread;
  const bool is_running = start_own_thread(thread, nullptr, &poll_all, nullptr);
  if (is_running) pthread_detach(thread);
  return is_running;
}

/// The caller holds the lock.
void ensure_thread(Watcher& all) {
  if (!all.is_running) all.is_running = start_thread();
}

std::optional<Time> stall_after(double seconds) {
  constexpr double kLongest = 1e9;
  if (seconds <= 0 || !std::isfinite(seconds)) return std::nullopt;
  return KernelClock::now() + std::chrono::duration_cast<Time::duration>(
                                  std::chrono::duration<double>(std::min(seconds, kLongest)));
}

}  // namespace

LivenessWatch::LivenessWatch(MpiWaitEnvironment* wait_environment) noexcept
    : wait_environment_(wait_environment) {
  if (wait_environment_ == nullptr) return;
  Watcher& all = watcher();
  const std::lock_guard lock(all.mutex);
  ensure_thread(all);
  all.teams.push_back({wait_environment_});
}

LivenessWatch::~LivenessWatch() {
  if (wait_environment_ == nullptr) return;
  Watcher& all = watcher();
  const std::lock_guard lock(all.mutex);
  all.teams.erase(std::find_if(all.teams.begin(), all.teams.end(), [this](const WatchedTeam& team) {
    return team.wait_environment == wait_environment_;
  }));
}

std::string stall_text(const char* what) {
  return std::string(what) +
         " waits for ranks of its communicator that have not come. One that runs without Terrace "
         "never will; nor will one on another node without TERRACE_ACROSS_NODES=1";
}

StallWatch::StallWatch(const char* what, double seconds) {
  Watcher& all = watcher();
  const std::lock_guard lock(all.mutex);
  ensure_thread(all);
  all.calls.push_back({this, what, stall_after(seconds)});
}

StallWatch::~StallWatch() {
  Watcher& all = watcher();
  const std::lock_guard lock(all.mutex);
  all.calls.erase(std::find_if(all.calls.begin(), all.calls.end(),
                               [this](const WatchedCall& call) { return call.watch == this; }));
}

}  // namespace terrace::preload
