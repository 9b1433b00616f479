// SPDX-License-Identifier: BSD-3-Clause
// One thread of the process looks for all of its teams. It begins with the first watch, and lives
// as long as the process.
#include "preload/diagnose/death_watch.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "preload/setup/team.hpp"

namespace terrace::preload {

namespace {

/// A peer may be through with the MPI's collective, and with MPI, and end. Then this rank is
/// through soon, too: so many looks, a second apart, find it dead first.
constexpr int kLooksBeforeDeath = 3;

struct Watched {
  MpiWorld* world;
  int looks = 0;  ///< that found a peer dead
};

struct Watchman {
  std::mutex mutex;
  std::vector<Watched> all;
  bool is_there = false;
};

Watchman& watchman() {
  static auto* const the = new Watchman;  // never destroyed: its thread ends with the process
  return *the;
}

void* look(void*) {
  Watchman& his = watchman();
  for (;;) {
    sleep(1);
    const std::lock_guard lock(his.mutex);
    for (Watched& one : his.all)
      if (one.world->dead_peer() && ++one.looks == kLooksBeforeDeath) one.world->end_for_the_dead();
  }
}

/// Signals are for the program's own threads. Without a thread nobody looks, as without Terrace.
bool begin_looking() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool is_begun = pthread_create(&thread, nullptr, &look, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (is_begun) pthread_detach(thread);
  return is_begun;
}

}  // namespace

DeathWatch::DeathWatch(MpiWorld& world) noexcept : world_(world) {
  Watchman& his = watchman();
  const std::lock_guard lock(his.mutex);
  if (!his.is_there) his.is_there = begin_looking();
  his.all.push_back({&world});
}

DeathWatch::~DeathWatch() {
  Watchman& his = watchman();
  const std::lock_guard lock(his.mutex);
  his.all.erase(std::find_if(his.all.begin(), his.all.end(),
                             [this](const Watched& one) { return one.world == &world_; }));
}

}  // namespace terrace::preload
