// SPDX-License-Identifier: BSD-3-Clause
// One thread of the process polls for all of its teams. The first watch starts it, and it runs
// until the process ends.
#include "preload/diagnose/liveness_thread.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "preload/diagnose/wait_environment.hpp"

namespace terrace::preload {

namespace {

/// A peer that has finished the MPI's collective may finalize MPI and exit. This rank then also
/// finishes soon. So a peer counts as dead only after this many polls, a second apart, found it so.
constexpr int kPollsBeforeDeath = 3;

struct WatchedTeam {
  MpiWaitEnvironment* wait_environment;
  int polls = 0;  ///< that found a peer dead
};

struct Watcher {
  std::mutex mutex;  ///< guards what follows
  std::vector<WatchedTeam> teams;
  bool is_running = false;
};

Watcher& watcher() {
  static auto* const the = new Watcher;  // never destroyed: its thread ends with the process
  return *the;
}

void* poll_peers(void*) {
  Watcher& all = watcher();
  for (;;) {
    sleep(1);
    const std::lock_guard lock(all.mutex);
    for (WatchedTeam& team : all.teams)
      if (team.wait_environment->dead_peer() && ++team.polls == kPollsBeforeDeath)
        team.wait_environment->end_for_dead_peer();
  }
}

/// Blocks all signals in the new thread: they are for the program's own threads. If no thread can
/// be created, a death goes unnoticed, as without Terrace.
bool start_thread() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool is_running = pthread_create(&thread, nullptr, &poll_peers, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (is_running) pthread_detach(thread);
  return is_running;
}

}  // namespace

LivenessWatch::LivenessWatch(MpiWaitEnvironment& wait_environment) noexcept
    : wait_environment_(wait_environment) {
  Watcher& all = watcher();
  const std::lock_guard lock(all.mutex);
  if (!all.is_running) all.is_running = start_thread();
  all.teams.push_back({&wait_environment});
}

LivenessWatch::~LivenessWatch() {
  Watcher& all = watcher();
  const std::lock_guard lock(all.mutex);
  all.teams.erase(std::find_if(all.teams.begin(), all.teams.end(), [this](const WatchedTeam& team) {
    return team.wait_environment == &wait_environment_;
  }));
}

}  // namespace terrace::preload
