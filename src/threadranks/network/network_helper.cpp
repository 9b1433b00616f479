// SPDX-License-Identifier: BSD-3-Clause
// Looks whether some rank drives, and drives if none has.
#include "threadranks/network/network_helper.hpp"

#include <sched.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

#include "base/own_thread.hpp"
#include "base/say.hpp"
#include "threadranks/network/process_network.hpp"

namespace terrace::threadranks {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{1};
/// After a look that found something: its answer may bring the next call.
constexpr std::chrono::microseconds kSoon{50};

}  // namespace

/// The thread is bound as the process's first thread is, which belongs to no rank.
NetworkHelper::NetworkHelper(ProcessNetwork& network) : network_(network) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  // Of any machine: the kernel refuses sets that are shorter than its own.
  std::array<cpu_set_t, 16> anywhere;
  if (sched_getaffinity(getpid(), sizeof anywhere, anywhere.data()) == 0)
    pthread_attr_setaffinity_np(&attributes, sizeof anywhere, anywhere.data());
  is_running_ = start_own_thread(thread_, &attributes, run, this);
  if (!is_running_)
    say_once(
        "there can be no further thread in this process (a limit on threads, perhaps), so "
        "one-sided calls to its ranks wait while all of them compute");
  pthread_attr_destroy(&attributes);
}

NetworkHelper::~NetworkHelper() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  change_.notify_one();
  if (is_running_) pthread_join(thread_, nullptr);
}

void NetworkHelper::need(int more) {
  {
    const std::lock_guard lock(mutex_);
    needed_ += more;
  }
  change_.notify_one();
}

void* NetworkHelper::run(void* self) {
  static_cast<NetworkHelper*>(self)->look_until_told();
  return nullptr;
}

void NetworkHelper::look_until_told() {
  while (is_needed()) {
    std::this_thread::sleep_for(kBetweenLooks);
    look();
  }
}

/// Waits while there is no need for it. False: it is to end.
bool NetworkHelper::is_needed() {
  std::unique_lock lock(mutex_);
  change_.wait(lock, [this] { return stops_ || needed_ > 0; });
  return !stops_;
}

bool NetworkHelper::is_to_end() {
  const std::lock_guard lock(mutex_);
  return stops_;
}

void NetworkHelper::look() {
  if (network_.has_been_driven(drives_seen_)) return;
  while (network_.finds_something() && !is_to_end()) std::this_thread::sleep_for(kSoon);
  network_.has_been_driven(drives_seen_);  // by itself
}

}  // namespace terrace::threadranks
