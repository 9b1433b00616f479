// SPDX-License-Identifier: BSD-3-Clause
// One thread of the process polls for all watches. The first one starts it, and it runs until the
// process ends.
#include "preload/mpi/watch_thread.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

#include "base/own_thread.hpp"
#include "base/say.hpp"

namespace terrace::preload {

namespace {

using Time = KernelClock::time_point;

struct Watcher {
  std::mutex mutex;  ///< guards what follows
  std::vector<Watch*> watches;
  bool is_running = false;
};

Watcher& watcher() {
  static auto* const the = new Watcher;  // never destroyed: its thread ends with the process
  return *the;
}

void* poll_all(void*) {
  Watcher& all = watcher();
  for (;;) {
    sleep(1);
    const std::lock_guard lock(all.mutex);
    for (Watch* const watch : all.watches) watch->poll();
  }
}

/// If no thread can be created, deaths and stalls go unnoticed, as without Terrace.
bool start_thread() {
  pthread_t thread;
  const bool is_running = start_own_thread(thread, nullptr, &poll_all, nullptr);
  if (is_running) pthread_detach(thread);
  return is_running;
}

std::optional<Time> stall_after(double seconds) {
  constexpr double kLongest = 1e9;
  if (seconds <= 0 || !std::isfinite(seconds)) return std::nullopt;
  return KernelClock::now() + std::chrono::duration_cast<Time::duration>(
                                  std::chrono::duration<double>(std::min(seconds, kLongest)));
}

}  // namespace

void Watch::begin() {
  Watcher& all = watcher();
  const std::lock_guard lock(all.mutex);
  if (!all.is_running) all.is_running = start_thread();
  all.watches.push_back(this);
}

void Watch::end() {
  Watcher& all = watcher();
  const std::lock_guard lock(all.mutex);
  all.watches.erase(std::find(all.watches.begin(), all.watches.end(), this));
}

std::string stall_text(const char* what) {
  return std::string(what) +
         " waits for ranks of its communicator that have not come. One that runs without Terrace "
         "never will; nor will one on another node without TERRACE_ACROSS_NODES=1";
}

StallWatch::StallWatch(const char* what, double seconds)
    : what_(what), stalls_(stall_after(seconds)) {
  begin();
}

void StallWatch::poll() {
  if (!stalls_ || KernelClock::now() < *stalls_) return;
  stalls_.reset();
  say(stall_text(what_));
}

}  // namespace terrace::preload
